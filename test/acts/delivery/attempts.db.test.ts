/** From an event to its receiver, over a whole hub: what is sent, when it is retried, and what is recorded. */
import { Webhook } from "standardwebhooks"
import Stripe from "stripe"
import { describe, expect, it } from "vitest"
import { useHub } from "../../support/hub.ts"
import { hook } from "../../support/received-webhooks.ts"
import { until } from "../../support/until.ts"
import { useReceiver } from "../../support/use-started.ts"

const second = 1_000
const minute = 60_000

/** What the standardwebhooks package signs with this secret. */
const standard = (secret: string, headers: Record<string, string>, text: string): string =>
  new Webhook(secret).sign(headers["webhook-id"]!, new Date(Number(headers["webhook-timestamp"]) * second), text)

describe("a delivery", () => {
  const hub = useHub({ virtual: true })
  const receiver = useReceiver("test")

  const arrived = (path: string, count: number) =>
    until(`${count} requests at ${path}`, () => (receiver.at(path).length >= count ? receiver.at(path) : undefined))

  it("is signed by both schemes, as their own packages sign, and carries event, delivery and attempt", async () => {
    const one = await hook(hub, receiver.url("/signed"))
    await one.dispatch("agent:stopped")
    const [{ headers, text, body }] = (await arrived("/signed", 1)) as [never]
    const sent = headers as Record<string, string>
    const { webhooks } = new Stripe("sk_test_x")
    expect(webhooks.constructEvent(text, sent["x-service-signature"]!, one.secret)).toEqual(body)
    expect(sent["x-service-signature"]).toMatch(/^t=\d{13},v1=[0-9a-f]{64}$/u)
    expect(standard(one.secret, sent, text)).toBe(sent["webhook-signature"])
    expect(sent["x-service-event"]).toBe("agent:stopped")
    expect(sent["x-service-attempt"]).toBe("1")
    const [entry] = await one.untilEntries("it is recorded", (all) => all[0]?.status === "succeeded")
    expect(sent["x-service-delivery"]).toBe(entry!.deliveryId)
    expect(Object.keys(body)).toEqual(["event", "payload", "timestamp"])
  })

  it("goes to webhooks that want its event, and to no other", async () => {
    const all = await hook(hub, receiver.url("/all"), ["*"])
    await hook(hub, receiver.url("/status"), ["agent:status"], all.account)
    await hook(hub, receiver.url("/connect"), ["daemon:connect", "agent:approve_request"], all.account)
    await hook(hub, receiver.url("/nothing"), [], all.account)
    await hook(hub, receiver.url("/stranger"), ["*"])
    for (const event of ["agent:status", "agent:stopped", "daemon:connect"] as const) await all.dispatch(event)
    const events = (path: string) =>
      receiver
        .at(path)
        .map((one) => one.body.event)
        .sort()
    await until(
      "all have what they want",
      () => events("/all").length === 3 && events("/connect").length === 1 && events("/status").length === 1
    )
    expect(events("/all")).toEqual(["agent:status", "agent:stopped", "daemon:connect"])
    expect(events("/status")).toEqual(["agent:status"])
    expect(events("/connect")).toEqual(["daemon:connect"])
    expect(events("/nothing")).toEqual([])
    expect(events("/stranger")).toEqual([])
  })

  it("is made again after 5 s, 60 s and 720 s, ±20 %, with the same body and delivery id, then it has failed", async () => {
    const one = await hook(hub, receiver.url("/down"))
    receiver.react("/down", { status: 500, body: "sorry" })
    await one.dispatch()
    const planned = [5 * second, minute, 12 * minute]
    for (const [nth, plan] of planned.entries()) {
      await arrived("/down", nth + 1)
      const [last] = await one.untilEntries(
        "the attempt is recorded",
        (all) => all.length === nth + 1 && all[0]!.willRetry
      )
      expect(last).toMatchObject({ attempt: nth + 1, maxAttempts: 4, status: "failed", responseBody: "sorry" })
      const wait = last!.nextAttemptAt! - last!.requestedAt!
      expect(wait).toBeGreaterThanOrEqual(plan * 0.8)
      expect(wait).toBeLessThanOrEqual(plan * 1.2 + second)
      await hub.advance(last!.nextAttemptAt! - hub.now() - 1)
      expect(receiver.at("/down")).toHaveLength(nth + 1)
      await hub.advance(second)
    }
    const all = await one.untilEntries("all four are recorded", (entries) => entries.length === 4)
    expect(all.map((entry) => [entry.attempt, entry.status, entry.willRetry])).toEqual([
      [4, "failed", false],
      [3, "failed", false],
      [2, "failed", false],
      [1, "failed", false]
    ])
    const sent = receiver.at("/down")
    expect(new Set(sent.map((request) => request.text)).size).toBe(1)
    expect(new Set(sent.map((request) => request.headers["x-service-delivery"])).size).toBe(1)
    expect(sent.map((request) => request.headers["x-service-attempt"])).toEqual(["1", "2", "3", "4"])
    expect(new Set(sent.map((request) => request.headers["x-service-signature"])).size).toBe(4)
  })

  it("ends with 410, and waits as long as Retry-After asks, up to twice the plan", async () => {
    const gone = await hook(hub, receiver.url("/gone"))
    receiver.react("/gone", 410)
    await gone.dispatch()
    const [ended] = await gone.untilEntries("it has ended", (all) => all[0]?.status === "failed")
    expect(ended).toMatchObject({ statusCode: 410, willRetry: false })
    const busy = await hook(hub, receiver.url("/busy"))
    receiver.react("/busy", { status: 429, headers: { "retry-after": "8" } })
    await busy.dispatch()
    const [waits] = await busy.untilEntries("it waits", (all) => all[0]?.status === "failed")
    expect(waits!.nextAttemptAt! - waits!.requestedAt!).toBe(8 * second)
    await busy.change("DELETE")
  })

  it("is cancelled when its webhook is paused or deleted, and not sent when it is resumed", async () => {
    const one = await hook(hub, receiver.url("/paused"))
    receiver.react("/paused", 500)
    await one.dispatch()
    await one.untilEntries("it waits for its retry", (all) => all[0]?.willRetry === true)
    await one.change("PATCH", "", { active: false })
    const [cancelled, attempted] = await one.entries()
    expect(cancelled).toMatchObject({ status: "cancelled", attempt: 2, willRetry: false, requestedAt: null })
    expect(attempted).toMatchObject({ status: "failed", willRetry: false })
    await one.dispatch()
    await one.change("PATCH", "", { active: true })
    receiver.react("/paused", 200)
    await hub.advance(10 * second)
    await one.dispatch("agent:generating_started")
    await arrived("/paused", 2)
    expect(receiver.at("/paused").map((sent) => sent.body.event)).toEqual(["agent:stopped", "agent:generating_started"])
  })

  it("is signed with both secrets after a rotation, the new one first", async () => {
    const one = await hook(hub, receiver.url("/rotated"))
    const { status, body } = await one.change("POST", `/rotate-secret`)
    expect(status).toBe(200)
    expect(body.secret).not.toBe(one.secret)
    expect(body.previousSecretUntil).toBe(hub.now() + 86_400_000)
    await one.dispatch()
    const [during] = await arrived("/rotated", 1)
    const headers = during!.headers as Record<string, string>
    const both = [body.secret, one.secret].map((secret) => standard(secret, headers, during!.text))
    expect(headers["webhook-signature"]).toBe(both.join(" "))
    expect(during!.headers["x-service-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/u)
  })

  it("is sent again on request, with the same id and a fresh cycle", async () => {
    const one = await hook(hub, receiver.url("/again"))
    receiver.react("/again", 410)
    await one.dispatch()
    const [failed] = await one.untilEntries("it has failed", (all) => all[0]?.status === "failed")
    receiver.react("/again", 200)
    const retried = await one.change("POST", `/deliveries/${failed!.deliveryId}/retry`)
    expect(retried.body).toEqual({ success: true, deliveryId: failed!.deliveryId, status: "pending" })
    const [, again] = await arrived("/again", 2)
    expect(again!.headers["x-service-delivery"]).toBe(failed!.deliveryId)
    expect(again!.headers["x-service-attempt"]).toBe("1")
    await one.untilEntries("both are shown", (all) => all.length === 2 && all[0]!.status === "succeeded")
    const unknown = await one.change("POST", `/deliveries/dlv_00000000000000000000/retry`)
    expect(unknown.status).toBe(404)
  })

  it("survives a restart of the hub: what was pending is sent by the next", async () => {
    const one = await hook(hub, receiver.url("/restart"))
    receiver.react("/restart", 500)
    await one.dispatch()
    await one.untilEntries("it waits for its retry", (all) => all[0]?.willRetry === true)
    await hub.restart()
    receiver.react("/restart", 200)
    await until("the next attempt", async () => {
      await hub.advance(second)
      return receiver.at("/restart").length === 2
    })
    const [, again] = receiver.at("/restart")
    expect(again!.headers["x-service-attempt"]).toBe("2")
    await one.untilEntries("it has succeeded", (all) => all[0]?.status === "succeeded")
  })
})
