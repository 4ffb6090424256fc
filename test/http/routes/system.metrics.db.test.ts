/** What a whole hub shows of a daemon's coming and going, of deliveries, and of its database. */
import { describe, expect, it } from "vitest"
import { backlogLookMillis, deliveryLateMillis } from "../../../src/limits/delivery.ts"
import { useHub } from "../../support/hub.ts"
import { readPrometheus } from "../../support/prometheus-text.ts"
import { hook } from "../../support/received-webhooks.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"
import { useReceiver } from "../../support/use-started.ts"

describe("the metrics of a hub", () => {
  const hub = useHub({ virtual: true })
  const receiver = useReceiver()

  const shown = async (series: string): Promise<number> => {
    const families = readPrometheus((await hub.request("GET", "/metrics")).text)
    for (const { samples } of families.values()) {
      const found = samples.get(series)
      if (found !== undefined) return found
    }
    throw new Error(`${series} is not shown`)
  }
  const reaches = (series: string, value: number) =>
    until(`${series} is ${value}`, async () => (await shown(series)) === value)

  it("say that it is ready and hears the others", async () => {
    expect(await shown("hub_ready")).toBe(1)
    expect(await shown("hub_bus_away")).toBe(0)
  })

  it("count when a time online begins and ends, and show who is in the grace between", async () => {
    const [began, ended] = ['hub_presence_changes_total{to="online"}', 'hub_presence_changes_total{to="offline"}']
    const before = [await shown(began), await shown(ended)] as const
    const { token } = await (await hub.account()).daemonToken()
    const peer = await connectDaemon(hub, token)
    expect(await shown(began)).toBe(before[0] + 1)
    expect([await shown("hub_daemons_online"), await shown("hub_daemons_in_grace")]).toEqual([1, 0])
    await peer.cut()
    await reaches("hub_daemons_in_grace", 1)
    expect([await shown("hub_daemons_online"), await shown(ended)]).toEqual([1, before[1]])
    await hub.advance(15_000)
    await reaches(ended, before[1] + 1)
    expect([await shown("hub_daemons_online"), await shown("hub_daemons_in_grace")]).toEqual([0, 0])
  })

  it("show how old a delivery was when it ended, with its retries", async () => {
    const name = "hub_delivery_age_seconds"
    const of = (suffix: string, outcome: string) => shown(`${name}_${suffix}{outcome="${outcome}"}`)
    const before = { count: await of("count", "succeeded"), sum: await of("sum", "succeeded") }
    receiver.react("/late", 500)
    const one = await hook(hub, receiver.url("/late"))
    await one.dispatch("agent:stopped")
    const [failed] = await one.untilEntries("it failed once", (all) => all.some(({ willRetry }) => willRetry))
    receiver.react("/late", 200)
    const waits = failed!.nextAttemptAt! - failed!.requestedAt!
    await hub.advance(failed!.nextAttemptAt! - hub.now() + 1_000)
    await until("the retry", async () => (await of("count", "succeeded")) === before.count + 1)
    // sent within the second of its time, in which time stands still again
    // the sum is one of seconds: what it loses of a millisecond is no age
    const age = Math.round(((await of("sum", "succeeded")) - before.sum) * 1_000)
    expect([age >= waits, age <= waits + 1_000]).toEqual([true, true])
  })

  it("show the deliveries that wait", async () => {
    receiver.react("/never", 500)
    const one = await hook(hub, receiver.url("/never"))
    await one.dispatch("agent:stopped")
    await until("it is counted", async () => {
      await hub.advance(backlogLookMillis)
      return (await shown("hub_deliveries_pending")) >= 1
    })
    expect(await shown("hub_deliveries_overdue")).toBe(0)
    expect(backlogLookMillis).toBeLessThan(deliveryLateMillis)
  })

  it("count statements and show the connections of the database", async () => {
    const statements = 'hub_database_statement_duration_seconds_count{outcome="succeeded"}'
    const before = [await shown(statements), await shown("hub_database_wait_seconds_count")] as const
    await hub.account()
    expect(await shown(statements)).toBeGreaterThan(before[0])
    expect(await shown("hub_database_wait_seconds_count")).toBeGreaterThan(before[1])
    const states = ["busy", "idle"].map((state) => shown(`hub_database_connections{state="${state}"}`))
    const [busy, idle] = await Promise.all(states)
    expect(busy! + idle!).toBeGreaterThan(0)
  })
})
