/** The webhook endpoints over HTTP, and what a delivery looks like to its receiver. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { databaseMissing } from "../support/database.ts"
import { startHub, type TestAccount, type TestHub } from "../support/hub.ts"
import { connectDaemon } from "../support/peer.ts"
import { type Receiver, startReceiver } from "../support/receiver.ts"
import { until } from "../support/until.ts"

describe.skipIf(databaseMissing)("webhooks", () => {
  let hub: TestHub
  let receiver: Receiver
  beforeAll(async () => {
    hub = await startHub()
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await hub.close()
    await receiver.close()
  })

  const create = async (account: TestAccount, path: string, events: ReadonlyArray<unknown> = ["*"]) =>
    hub.request("POST", "/api/v1/webhooks", {
      session: await account.session(),
      body: { url: receiver.url(path), events }
    })
  const event = (name: string, more: object = {}) => ({ event: name, timestamp: 1_790_000_000_000, ...more })

  it("delivers what a daemon reports to a webhook subscribed with *", async () => {
    const account = await hub.account()
    const created = await create(account, "/first")
    expect(created.status).toBe(201)
    const { token, daemonId } = await account.daemonToken()
    const daemon = await connectDaemon(hub, token)
    daemon.send("status_event", event("agent:stopped", { id: "e1", targetSessionId: "s1" }))
    const ack = await daemon.nextFrame("event_ack")
    expect(ack.data).toEqual({ ids: ["e1"] })
    const delivery = await until("the delivery arrives", () =>
      receiver.at("/first").find((one) => one.body.event === "agent:stopped")
    )
    expect(delivery.body.payload).toEqual({
      daemonId,
      daemonType: "service-daemon",
      event: "agent:stopped",
      timestamp: 1_790_000_000_000,
      targetSessionId: "s1"
    })
    const listed = await until("it is recorded", async () => {
      const answer = await hub.request("GET", `/api/v1/webhooks/${created.body.id}/deliveries`, {
        key: await account.key(["webhook:manage"])
      })
      return answer.body.deliveries.filter((one: { status: string }) => one.status === "succeeded").length === 2
        ? answer.body.deliveries
        : undefined
    })
    expect(listed).toHaveLength(2)
    await daemon.leave()
  })
})
