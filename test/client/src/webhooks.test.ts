/** The client verifies what the hub signs, by both schemes, and nothing else. */
import { createHmac } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"
import { WebhookRefused, webhooks } from "../../../client/src/webhooks.ts"
import { fc, forAllAsync } from "../../support/properties.ts"

const secret = `whsec_${Buffer.from("a secret of thirty-two bytes, it").toString("base64")}`
const other = `whsec_${Buffer.from("another one of thirty-two bytes.").toString("base64")}`
const now = 1_790_000_000_000
const body = JSON.stringify({ event: "webhook:test", payload: { webhookId: "whk_1" }, timestamp: now })

const own = (text: string, key = secret, at = now): Record<string, string> => ({
  "x-service-delivery": "dlv_1",
  "x-service-attempt": "2",
  "x-service-signature": `t=${at},v1=${createHmac("sha256", key).update(`${at}.${text}`).digest("hex")}`
})
const standard = (text: string, key = secret, at = now): Record<string, string> => ({
  "webhook-id": "dlv_1",
  "webhook-timestamp": String(Math.floor(at / 1_000)),
  "webhook-signature": new Webhook(key).sign("dlv_1", new Date(at), text)
})
const verify = (
  headers: Record<string, string>,
  text: string | Uint8Array = body,
  secrets: string | Array<string> = secret
) => webhooks.verify({ body: text, headers, secret: secrets, now })

describe.each([
  ["the hub's own scheme", own],
  ["the Standard Webhooks scheme", standard]
])("a delivery signed by %s", (_, sign) => {
  it("is verified and read", async () => {
    expect(await verify(sign(body))).toMatchObject({ deliveryId: "dlv_1", event: { event: "webhook:test" } })
    expect(await verify(sign(body), new TextEncoder().encode(body))).toMatchObject({ deliveryId: "dlv_1" })
  })

  it("is verified by any of several secrets", async () =>
    expect(await verify(sign(body, other), body, [secret, other])).toMatchObject({ deliveryId: "dlv_1" }))

  it("is refused under another secret", () => expect(verify(sign(body, other))).rejects.toThrow(WebhookRefused))

  it("is refused when its time is more than five minutes away", async () => {
    for (const at of [now - 301_000, now + 301_000])
      await expect(verify(sign(body, secret, at))).rejects.toThrow("clock")
    expect(await verify(sign(body, secret, now - 299_000))).toMatchObject({ deliveryId: "dlv_1" })
  })

  it("is refused when a single character of the body is another", async () => {
    const at = fc.nat(body.length - 1)
    await forAllAsync(at, fc.string({ minLength: 1, maxLength: 1 }), async (place, char) => {
      const changed = body.slice(0, place) + char + body.slice(place + 1)
      if (changed !== body) await expect(verify(sign(body), changed)).rejects.toThrow(WebhookRefused)
    })
  })

  it("is refused, and no defect, whatever the headers say", async () => {
    const names = fc.constantFrom(...Object.keys(sign(body)))
    await forAllAsync(names, fc.string(), async (name, value) => {
      const headers = { ...sign(body), [name]: value }
      await verify(headers).catch((error: unknown) => expect(error).toBeInstanceOf(WebhookRefused))
    })
  })
})

it("a delivery with both signatures is refused under another id, which one of them signs", async () => {
  const both = { ...own(body), ...standard(body) }
  expect(await verify(both)).toMatchObject({ deliveryId: "dlv_1", attempt: 2 })
  await expect(verify({ ...both, "webhook-id": "dlv_2" })).rejects.toThrow(WebhookRefused)
})

it("a request without a signature is refused", () => expect(verify({})).rejects.toThrow("no signature"))
