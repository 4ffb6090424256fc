/** The unit costs: where they come from, and what is said when one was not measured. */
import { describe, expect, it } from "vitest"
import { unitsOf } from "../../../bench/plan/units.ts"
import type { Records } from "../../../bench/report/record.ts"

const record = (scenario: string, figures: Readonly<Record<string, number>>): Records => ({
  [scenario]: {
    scenario,
    machine: "m",
    revision: "r",
    figures: Object.entries(figures).map(([name, value]) => ({ name, value, unit: "" }))
  }
})

const whole: Records = {
  ...record("idle", { idle_cpu_us_per_s: 4 }),
  ...record("idle-joined", {
    idle_joined_cpu_us_per_s: 6,
    idle_joined_postgres_us_per_s: 1,
    idle_joined_rss_bytes: 6_000,
    idle_joined_empty_rss_mb: 180
  }),
  ...record("connect", { connect_cpu_us: 400, connect_postgres_us: 100 }),
  ...record("command", { command_cpu_us: 60 }),
  ...record("nodes", { local_node_cpu_us: 100, cross_node_cpu_us: 180, cross_node_redis_us: 20 }),
  ...record("fanout", { events_cpu_us: 25, events_postgres_us: 5 }),
  ...record("delivery", { delivery_cpu_us: 150, delivery_postgres_us: 60 }),
  ...record("rest", { get_daemons_cpu_us: 30 })
}

describe("unit costs", () => {
  it("come from the figures of record", () => {
    expect(unitsOf(whole)).toMatchObject({ idle: 4, idleJoined: 6, nodeBytes: 180e6, commandAcross: 80, request: 30 })
  })

  it("are refused with the scenarios to measure where one is missing", () => {
    const { nodes: _, rest: __, ...partly } = whole
    expect(() => unitsOf(partly)).toThrow("measure them with nodes rest --record")
  })

  it("never count a command to another node as cheaper", () => {
    const odd = {
      ...whole,
      ...record("nodes", { local_node_cpu_us: 200, cross_node_cpu_us: 180, cross_node_redis_us: 1 })
    }
    expect(unitsOf(odd).commandAcross).toBe(0)
  })
})
