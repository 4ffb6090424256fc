/** A subscriber killed in mid-request: the requests end, everything is sent again, no neighbour notices. */
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { webhookInFlightMax as inFlightMax, leaseSweepMillis } from "../../../src/limits/delivery.ts"
import type { TestHub } from "../../support/hub.ts"
import { type Entry, hook, type Receiving, startReceiving } from "../../support/received-webhooks.ts"
import { until } from "../../support/until.ts"
import type { Receiver } from "../../support/webhook-receiver.ts"

describe("a subscriber that is killed in mid-request", () => {
  let hub: TestHub
  let receiver: Receiver
  let close: Receiving["close"] | undefined
  beforeEach(async () => {
    ;({ hub, receiver, close } = await startReceiving())
  })
  afterEach(() => close?.())

  const supervisor = () => hub.inside(Supervisor)
  const waiting = 3

  test("ends its requests at once; they and what waited are sent by the next, no neighbour stops, and it is no crash", async () => {
    const one = await hook(hub, receiver.url("/killed"))
    const beside = await hook(hub, receiver.url("/beside"))
    receiver.react("/killed", "hang")
    for (let nth = 0; nth < inFlightMax + waiting; nth++) await one.dispatch()
    await until("as many are under way as may be", () => receiver.open("/killed") === inFlightMax)
    const actor = (await supervisor()).find("subscriber", one.id)!
    actor.kill()
    expect([actor.gone, (await supervisor()).find("subscriber", one.id)]).toEqual([true, undefined])
    await until("the receiver sees the end of each request", () => receiver.open("/killed") === 0)

    await beside.dispatch()
    await beside.untilEntries("the neighbour's is delivered", (all) => all[0]?.status === "succeeded")
    expect(receiver.at("/killed")).toHaveLength(inFlightMax)

    receiver.react("/killed", 200)
    await until("all are sent", async () => {
      await hub.advance(leaseSweepMillis)
      return receiver.at("/killed").length >= 2 * inFlightMax + waiting
    })
    const succeeded = (all: ReadonlyArray<Entry>) => all.filter((entry) => entry.status === "succeeded")
    const recorded = await one.untilEntries(
      "all are recorded",
      (all) => succeeded(all).length === inFlightMax + waiting
    )
    expect(recorded.map(({ attempt }) => attempt)).toEqual(Array(inFlightMax + waiting).fill(1))
    await hub.advance(2 * leaseSweepMillis)
    const sent = receiver.at("/killed").map(({ headers }) => headers["x-service-delivery"])
    expect([sent.length, new Set(sent).size]).toEqual([2 * inFlightMax + waiting, inFlightMax + waiting])
    expect(receiver.at("/beside")).toHaveLength(1)
    expect((await supervisor()).crashes("subscriber")).toBe(0)
  })
})
