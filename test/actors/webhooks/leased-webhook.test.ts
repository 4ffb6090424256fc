/** What a node holds of a webhook that it sends for. */

import { describe, expect, it } from "vitest"
import { signingKeys } from "../../../actors/webhooks/leased-webhook.ts"
import { makeSecret, signingKey } from "../../../src/domain/webhook/signature.ts"

const start = 1_000_000

describe("the keys that sign", () => {
  it("are both during the overlap of a rotation, the new one first, and the new one alone from its end on", () => {
    const [key, oldKey] = [signingKey(makeSecret()), signingKey(makeSecret())]
    const endpoint = { url: "https://example.com", key, oldKey, oldKeyUntil: start + 5 }
    expect(signingKeys(endpoint, start + 4)).toEqual([key, oldKey])
    expect(signingKeys(endpoint, start + 5)).toEqual([key])
    expect(signingKeys({ ...endpoint, oldKey: undefined }, start)).toEqual([key])
  })
})
