/** The samples of webhook receivers against the deliveries of a real hub, in each framework. */
import { describe, expect, inject, it } from "vitest"
import { freePort } from "../../bench/servers/free-port.ts"
import { useHub } from "../support/hub.ts"
import { until } from "../support/until.ts"
import { startProgram } from "./program.ts"

const hub = useHub()

const subscribed = async () => {
  const { session } = await hub.signedIn()
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}/hooks`
  const { body } = await hub.request("POST", "/api/v1/webhooks", { session, body: { url, events: ["*"] } })
  const test = () => hub.request("POST", `/api/v1/webhooks/${body.id}/test`, { session })
  const retry = async (deliveryId: string) => {
    const path = `/api/v1/webhooks/${body.id}/deliveries`
    await hub.request("POST", `${path}/${deliveryId}/retry`, { session })
    return until("the delivery was sent again", async () => {
      const entries = (await hub.request("GET", path, { session })).body.deliveries
      return entries.length === 2 && entries[0].status === "succeeded" ? entries : undefined
    })
  }
  return { port, url, secret: body.secret as string, test, retry }
}

describe.skipIf(inject("frameworksMissing"))("the sample of a webhook receiver", () => {
  it.each(["express", "fastify", "hono", "koa"])(
    "verifies what the hub sends, does it once, and refuses the rest (%s)",
    async (framework) => {
      const { port, url, secret, test, retry } = await subscribed()
      const env = { HUB_RECEIVER_PORT: port, HUB_WEBHOOK_SECRET: secret }
      const program = startProgram("node", `webhook-receivers/${framework}.js`, [], env)
      await program.until("listening")
      const { body: tested } = await test()
      expect(tested).toMatchObject({ delivery: { statusCode: 204 } })
      await program.until("webhook:test")
      await retry(tested.delivery.deliveryId)
      expect(program.said().match(/webhook:test/gu)).toHaveLength(1)
      expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(400)
      expect((await fetch(url, { method: "POST", body: "x".repeat(2_000_000) })).status).toBe(413)
      await program.kill()
    }
  )

  it("says at its start that it has no secret", async () => {
    const program = startProgram("node", "webhook-receivers/express.js", [])
    expect(await program.ended).toBe(2)
    expect(program.said()).toMatch(/^HUB_WEBHOOK_SECRET is missing/u)
  })
})
