/** The model of what a load needs: what it promises whatever the units and the load are. */
import { describe, expect, it } from "vitest"
import { bytesOn, coresOn, type Load, planFor } from "../../../bench/plan/capacity.ts"
import type { Units } from "../../../bench/plan/units.ts"
import { fc, forAll } from "../../support/properties.ts"

const units: Units = {
  idle: 4,
  idleJoined: 6,
  idlePostgres: 1,
  daemonBytes: 6_000,
  nodeBytes: 180e6,
  connect: 400,
  connectPostgres: 100,
  command: 60,
  commandAcross: 80,
  commandRedis: 20,
  event: 25,
  eventPostgres: 5,
  delivery: 150,
  deliveryPostgres: 60,
  request: 30
}
const terms = { coreShare: 0.6, nodeMemory: 2_048e6, backSeconds: 120 }
const load: Load = { daemons: 0, commands: 0, events: 0, deliveries: 0, requests: 0 }
const upTo = (max: number) => fc.integer({ min: 0, max })
const loads = fc.record({
  daemons: upTo(2_000_000),
  commands: upTo(20_000),
  events: upTo(50_000),
  deliveries: upTo(20_000),
  requests: upTo(20_000)
})

describe("a plan", () => {
  it("is one node without a Redis for a small load", () => {
    expect(planFor({ ...load, daemons: 1_000, commands: 100 }, units, terms)).toMatchObject({
      nodes: 1,
      redisCores: 0,
      redisMessages: 0
    })
  })

  it("has one node more than the load takes, and says what decides", () => {
    // 1,000,000 × 6 µs and 2,500 × 60 µs and most of 2,500 × 80 µs: 6.3 cores, of which a node uses 0.6
    const busy = planFor({ ...load, daemons: 1_000_000, commands: 2_500 }, units, { ...terms, backSeconds: 3_600 })
    expect(busy).toMatchObject({ nodes: 12, decidedBy: "cpu" })
    expect(
      planFor({ ...load, daemons: 1_000_000 }, units, { ...terms, nodeMemory: 400e6, backSeconds: 3_600 })
    ).toMatchObject({ nodes: 51, decidedBy: "memory" })
    expect(planFor({ ...load, daemons: 1_000_000 }, units, { ...terms, backSeconds: 10 })!.decidedBy).toBe("reconnects")
  })

  it("is none where a node without a daemon has no room", () =>
    expect(planFor({ ...load, daemons: 1 }, units, { ...terms, nodeMemory: 250e6 })).toBeUndefined())

  it("carries the load when a node is away, within its share, its memory and the time to come back", () =>
    forAll(loads, (asked) => {
      const { nodes } = planFor(asked, units, terms)!
      const left = Math.max(1, nodes - 1)
      const cores = coresOn(left, asked, units)
      expect(cores / left).toBeLessThanOrEqual(terms.coreShare)
      expect(bytesOn(left, asked, units) / left).toBeLessThanOrEqual(terms.nodeMemory)
      const connecting = ((asked.daemons / terms.backSeconds) * units.connect) / 1e6
      expect((cores + connecting) / left).toBeLessThanOrEqual(1)
    }))

  it("never gets smaller when the load grows", () =>
    forAll(loads, loads, (one, more) => {
      const sum = Object.fromEntries(
        (Object.keys(one) as Array<keyof Load>).map((name) => [name, one[name] + more[name]])
      ) as unknown as Load
      expect(planFor(sum, units, terms)!.nodes).toBeGreaterThanOrEqual(planFor(one, units, terms)!.nodes)
    }))
})
