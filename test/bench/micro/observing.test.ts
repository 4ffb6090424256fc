/** The loops of the hub's watching of itself run, at a small size; no cost is judged here. */
import { expect, it } from "vitest"
import { measureObserving } from "../../../bench/micro/observing.ts"
import { counted } from "../../../src/runtime/metrics.ts"

it("measures a counter, a histogram and an event of the audit log, each run by itself", () => {
  const before = counted("hub_commands_total", "succeeded")
  const cost = measureObserving({ calls: 1_000, runs: 2 })
  // one run more warms up
  expect(counted("hub_commands_total", "succeeded") - before).toBe(3_000)
  for (const runs of Object.values(cost)) expect(runs).toHaveLength(2)
})
