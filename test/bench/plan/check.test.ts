/** The model beside a measured crowd: what is compared, and where there is no verdict. */
import { describe, expect, it } from "vitest"
import { besideModel } from "../../../bench/plan/check.ts"
import { unitScenarios } from "../../../bench/plan/units.ts"
import type { Records } from "../../../bench/report/record.ts"

const figures: Readonly<Record<string, number>> = {
  idle_cpu_us_per_s: 4,
  idle_joined_cpu_us_per_s: 5,
  idle_joined_postgres_us_per_s: 1,
  idle_joined_rss_bytes: 6_000,
  idle_joined_empty_rss_mb: 200,
  connect_cpu_us: 400,
  connect_postgres_us: 100,
  command_cpu_us: 60,
  local_node_cpu_us: 100,
  cross_node_cpu_us: 180,
  cross_node_redis_us: 20,
  events_cpu_us: 25,
  events_postgres_us: 5,
  delivery_cpu_us: 150,
  delivery_postgres_us: 60,
  get_daemons_cpu_us: 30
}
const record = (machine: string): Records =>
  Object.fromEntries(
    unitScenarios.map((scenario) => [
      scenario,
      {
        scenario,
        machine,
        revision: "r",
        figures: Object.entries(figures).map(([name, value]) => ({ name, value, unit: "" }))
      }
    ])
  )
// 100,000 × 5 µs, and 1,000 commands a second of 60 µs and, three of four times, 80 µs more
const [reckonedCores, reckonedMegabytes] = [0.62, 4 * (200 + 100) + 600]
const taken = { nodes: 4, daemons: 100_000, commands: 1_000, cores: reckonedCores, megabytes: reckonedMegabytes }

describe("the model beside a crowd", () => {
  it("is judged by a quarter, on either side", () => {
    const judged = (cores: number, megabytes: number) =>
      besideModel({ ...taken, cores, megabytes }, record("m"), "m").figures.map(({ holds }) => holds)
    expect(judged(reckonedCores * 1.24, reckonedMegabytes * 0.76)).toEqual([true, true])
    expect(judged(reckonedCores * 1.26, reckonedMegabytes * 0.74)).toEqual([false, false])
    const [cores, memory] = besideModel(taken, record("m"), "m").figures
    expect(cores!.baseline).toBeCloseTo(reckonedCores)
    expect(memory!.baseline).toBeCloseTo(reckonedMegabytes)
  })

  it("is shown and not judged where the unit costs are of another machine, and left out where there are none", () => {
    const elsewhere = besideModel(taken, record("other"), "m")
    expect(elsewhere.figures.map(({ holds, ratio }) => [holds, ratio?.toFixed(2)])).toEqual([
      [undefined, "1.00"],
      [undefined, "1.00"]
    ])
    expect(elsewhere.notes.join()).toContain("measured elsewhere (other)")
    const without = besideModel(taken, {}, "m")
    expect(without.figures).toEqual([])
    expect(without.notes.join()).toContain("measure them with")
  })
})
