/** The two signatures of a delivery, against the packages that verify them elsewhere. */
import { createHmac } from "node:crypto"
import { Webhook } from "standardwebhooks"
import Stripe from "stripe"
import { describe, expect, it } from "vitest"
import {
  deliveryHeaders,
  makeSecret,
  serviceSignature,
  signingKey,
  signingKeys
} from "../../../../src/domain/webhook/signature.ts"
import { anyText, forAll } from "../../../support/properties.ts"

const secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD9sJS3PjG1Dk="
const old = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
const keys = [signingKey(secret)]
const body = '{"event":"agent:status","payload":{"daemonId":"dmn_é"},"timestamp":1790000000000}'
const letter = { deliveryId: "dlv_0123456789abcdefghij", event: "agent:status", attempt: 2, body }

it("a secret is whsec_ and 32 random bytes in standard base64", () => {
  const made = makeSecret()
  expect(made).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u)
  expect(signingKey(made).bytes.symmetricKeySize).toBe(32)
  expect(makeSecret()).not.toBe(made)
})

describe("X-Service-Signature", () => {
  it("is t in milliseconds and the lower-case hex HMAC of <t>.<body>, keyed by the whole secret as UTF-8", () => {
    const digest = createHmac("sha256", Buffer.from(secret, "utf8")).update(`1790000000123.${body}`).digest("hex")
    expect(serviceSignature(keys, 1_790_000_000_123, body)).toBe(`t=1790000000123,v1=${digest}`)
  })

  it("carries a second v1 during a rotation, by the old secret, and never otherwise", () => {
    const both = serviceSignature([signingKey(secret), signingKey(old)], 5, body)
    const one = serviceSignature(keys, 5, body)
    const other = serviceSignature([signingKey(old)], 5, body)
    expect(both).toBe(`${one},${other.slice("t=5,".length)}`)
    expect(one.match(/v1=/gu)).toHaveLength(1)
  })

  it("is accepted by the stripe package's verifier, for either secret during a rotation", () => {
    const header = serviceSignature([signingKey(secret), signingKey(old)], 1_790_000_000_000, body)
    const { webhooks } = new Stripe("sk_test_x")
    expect(webhooks.constructEvent(body, header, secret)).toEqual(JSON.parse(body))
    expect(webhooks.constructEvent(body, header, old)).toEqual(JSON.parse(body))
    expect(() => webhooks.constructEvent(`${body} `, header, secret)).toThrow()
    expect(() => webhooks.constructEvent(body, header, makeSecret())).toThrow()
  })

  it("changes with every byte of the body", () =>
    forAll(anyText(), anyText({ minLength: 1 }), (text, more) => {
      expect(serviceSignature(keys, 1, text)).not.toBe(serviceSignature(keys, 1, text + more))
    }))
})

it("the Standard Webhooks headers are accepted by the standardwebhooks package, for either secret during a rotation", () => {
  const now = Date.now()
  const headers = deliveryHeaders(letter, [signingKey(secret), signingKey(old)], now)
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
  expect(new Webhook(old).verify(body, headers)).toEqual(JSON.parse(body))
  expect(() => new Webhook(makeSecret()).verify(body, headers)).toThrow()
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow()
})

it("the Standard Webhooks headers name the delivery as webhook-id and the second as webhook-timestamp", () => {
  const headers = deliveryHeaders(letter, keys, 1_790_000_000_999)
  expect(headers["webhook-id"]).toBe(letter.deliveryId)
  expect(headers["webhook-timestamp"]).toBe("1790000000")
})

it("the other headers name the event, the delivery and the attempt", () => {
  expect(deliveryHeaders(letter, keys, 1)).toMatchObject({
    "content-type": "application/json",
    "x-service-event": "agent:status",
    "x-service-delivery": "dlv_0123456789abcdefghij",
    "x-service-attempt": "2"
  })
})

const start = 1_000_000

it("the keys that sign are both during the overlap of a rotation, the new one first, and the new one alone from its end on", () => {
  const [key, oldKey] = [signingKey(makeSecret()), signingKey(makeSecret())]
  const endpoint = { url: "https://example.com", key, oldKey, oldKeyUntil: start + 5 }
  expect(signingKeys(endpoint, start + 4)).toEqual([key, oldKey])
  expect(signingKeys(endpoint, start + 5)).toEqual([key])
  expect(signingKeys({ ...endpoint, oldKey: undefined }, start)).toEqual([key])
})
