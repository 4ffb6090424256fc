/** The header that shows a push service who sends, by the example of RFC 8292. */
import { describe, expect, it } from "vitest"
import { makeVapidPair, vapidAuthorization, vapidSigner } from "../../../../src/domain/push/vapid.ts"
import { vapidSecondsMax } from "../../../../src/limits/push.ts"
import { readVapid } from "../../../support/push/browser-keys.ts"

describe("who sends a push message", () => {
  it("is read by the tests as the example of RFC 8292 says it", () => {
    const example =
      "vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA, k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
    expect(readVapid(example)?.claims).toEqual({
      aud: "https://push.example.net",
      exp: 1453523768,
      sub: "mailto:push@example.com"
    })
    expect(readVapid(example.replace("i3CY", "i3CZ"))).toBeUndefined()
  })

  it("is a token of ES256 for the origin of the push service, good for half a day", () => {
    const pair = makeVapidPair()
    const said = vapidAuthorization(vapidSigner(pair), "https://push.test:8443/send/1?a=b", "https://hub.test", 5_999)
    expect(readVapid(said)).toEqual({
      k: pair.publicKey,
      header: { typ: "JWT", alg: "ES256" },
      claims: { aud: "https://push.test:8443", exp: 5 + vapidSecondsMax, sub: "https://hub.test" }
    })
  })

  it("is signed by a private number that begins with zeros", () => {
    // of the number 1 the point is the base of the curve
    const publicKey = "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"
    const signer = vapidSigner({ privateKey: "AQ", publicKey })
    expect(readVapid(vapidAuthorization(signer, "https://push.test", "mailto:a@b.c", 0))?.k).toBe(publicKey)
  })
})
