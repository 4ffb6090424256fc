/**
 * A subscriber killed in mid-work: what was under way is recorded, what waited is sent, nothing twice, no neighbour
 * notices.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { webhookInFlightMax as inFlightMax, leaseSweepMillis } from "../../../src/limits/delivery.ts"
import { databaseMissing } from "../../support/database.ts"
import type { TestHub } from "../../support/hub.ts"
import type { Receiver } from "../../support/receiver.ts"
import { until } from "../../support/until.ts"
import { hook, type Receiving, startReceiving } from "../../support/webhooks.ts"

describe.skipIf(databaseMissing)("a subscriber that is killed in mid-work", () => {
  let hub: TestHub
  let receiver: Receiver
  let close: Receiving["close"] | undefined
  beforeEach(async () => {
    ;({ hub, receiver, close } = await startReceiving())
  })
  afterEach(() => close?.())

  const supervisor = () => hub.inside(Supervisor)
  const waiting = 3

  test("loses nothing, sends nothing twice, is no crash, and stops no other", async () => {
    const one = await hook(hub, receiver.url("/killed"))
    const beside = await hook(hub, receiver.url("/beside"))
    receiver.react("/killed", "hang")
    for (let nth = 0; nth < inFlightMax + waiting; nth++) await one.dispatch()
    await until("as many are under way as may be", () => receiver.open("/killed") === inFlightMax)
    const actor = (await supervisor()).find("subscriber", one.id)!
    actor.kill()
    expect([actor.gone, (await supervisor()).find("subscriber", one.id)]).toEqual([true, undefined])

    await beside.dispatch()
    await beside.untilEntries("the neighbour's is delivered", (all) => all[0]?.status === "succeeded")
    expect(receiver.at("/killed")).toHaveLength(inFlightMax)

    receiver.react("/killed", 200)
    receiver.release(200)
    const succeeded = (count: number) =>
      one.untilEntries(`${count} are recorded`, (all) => all.filter((e) => e.status === "succeeded").length === count)
    await succeeded(inFlightMax)
    await until("what waited is sent", async () => {
      await hub.advance(leaseSweepMillis)
      return receiver.at("/killed").length >= inFlightMax + waiting
    })
    await succeeded(inFlightMax + waiting)
    await hub.advance(2 * leaseSweepMillis)
    const sent = receiver.at("/killed").map(({ headers }) => headers["x-service-delivery"])
    expect([sent.length, new Set(sent).size]).toEqual([inFlightMax + waiting, inFlightMax + waiting])
    expect(receiver.at("/beside")).toHaveLength(1)
    expect((await supervisor()).crashes("subscriber")).toBe(0)
  })
})
