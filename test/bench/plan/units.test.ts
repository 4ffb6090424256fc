/** The unit costs: where they come from, and what is said when one was not measured. */
import { describe, expect, it } from "vitest"
import { unitsOf } from "../../../bench/plan/units.ts"
import { unitRecords } from "./unit-records.ts"

describe("unit costs", () => {
  it("come from the figures of record", () => {
    expect(unitsOf(unitRecords())).toMatchObject({
      idle: 4,
      idleJoined: 5,
      nodeBytes: 200e6,
      commandAcross: 80,
      request: 30
    })
  })

  it("are refused with the scenarios to measure where one is missing", () => {
    const { nodes: _, rest: __, ...partly } = unitRecords()
    expect(() => unitsOf(partly)).toThrow("measure them with nodes rest --record")
  })

  it("never count a command to another node as cheaper", () => {
    const odd = unitRecords({ local_node_cpu_us: 200, cross_node_redis_us: 1 })
    expect(unitsOf(odd).commandAcross).toBe(0)
  })
})
