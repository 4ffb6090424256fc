/** What a node remembers of others, and what it owes, up to its bounds. */

import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Debts } from "../../../../actors/cluster/redis/debts.ts"
import { Holding } from "../../../../actors/cluster/redis/holding.ts"
import { makeRecords } from "../../../../actors/cluster/redis/records.ts"
import { makeRecovery } from "../../../../actors/cluster/redis/recovery.ts"
import { makeRedisCluster } from "../../../../actors/cluster/redis/redis-cluster.ts"
import { messageAuthentication } from "../../../../src/bus/message-authentication.ts"
import { type Heard, RedisTransport } from "../../../../src/bus/redis-transport.ts"
import {
  nodePlacesMax,
  nodeStepDaemons,
  nodeStoreMillisMax,
  nodesDrainingMax,
  nodeTakenMillisMax,
  nodeWaitingMax
} from "../../../../src/limits/nodes.ts"
import { counted } from "../../../../src/runtime/metrics.ts"
import { Timers } from "../../../../src/runtime/timers.ts"
import { Daemons } from "../../../../src/store/daemons/daemons.ts"
import { Nodes } from "../../../../src/store/daemons/nodes.ts"
import { RedisModel } from "../../../support/redis-model.ts"
import { snapshot } from "../../../support/snapshots.ts"
import { until } from "../../../support/until.ts"

/**
 * Others, each of which has every daemon that is looked for there, and refuses what it is asked. `looks`: into Redis.
 */
const startOthers = Effect.gen(function* () {
  const hears = new Map<string, (heard: Heard) => void>()
  const steps: Array<number> = []
  let looks = 0
  const wire = RedisTransport.of({
    node: "here",
    prefix: "p:",
    authentication: messageAuthentication(new Uint8Array(32), () => 0),
    tellAll: () => {},
    tellNode: (node, kind, json) => {
      if (kind !== "ask") return
      const { id } = JSON.parse(json) as { readonly id: string }
      hears.get("answer")?.({ from: node, message: { id, answer: { is: "failed", tag: "NotFound", facts: {} } } })
    },
    hear: (kind, listener) => Effect.sync(() => void hears.set(kind, listener)),
    gaps: () => Effect.void,
    away: () => false,
    since: () => 0,
    callLarge: async () => null,
    call: async (_, args) => {
      looks++
      steps.push(args.length)
      return "there|1|"
    }
  })
  const others = yield* makeRedisCluster(wire, yield* Timers, yield* Daemons, yield* Nodes)
  return {
    others,
    /** How much each call to Redis was about. */
    steps,
    drains: (from: string) => hears.get("drains")?.({ from, message: {} }),
    /** Commands daemons; how often a place was looked up for that. */
    command: (...daemonIds: ReadonlyArray<string>): Effect.Effect<number> =>
      Effect.suspend(() => {
        looks = 0
        const ask = (daemonId: string) =>
          Effect.ignore(others.command({ accountId: "acc", daemonId, type: "read_chat", payload: {} }, 1_000))
        return Effect.map(Effect.forEach(daemonIds, ask, { concurrency: 1_000, discard: true }), () => looks)
      })
  }
})

const around = Layer.mergeAll(
  Timers.layer,
  Layer.mock(Daemons, {}),
  Layer.mock(Nodes, { forget: () => Effect.void, alive: Effect.succeed([]) })
)

describe("the place of a daemon on another node", () => {
  it.effect(`is remembered for ${nodePlacesMax} daemons; beyond, the one unasked longest is looked up again`, () =>
    Effect.gen(function* () {
      const { command } = yield* startOthers
      const all = Array.from({ length: nodePlacesMax }, (_, nth) => `m${nth}`)
      expect(yield* command(...all)).toBe(nodePlacesMax)
      expect(yield* command("m0")).toBe(0)
      expect(yield* command("one more")).toBe(1)
      expect(yield* command("m0")).toBe(0)
      expect(yield* command("m1")).toBe(1)
    }).pipe(Effect.scoped, Effect.provide(around))
  )

  it.effect(`is looked up each time where its node drains, as far as the ${nodesDrainingMax} last that drain`, () =>
    Effect.gen(function* () {
      const { command, drains } = yield* startOthers
      yield* command("m")
      expect(yield* command("m")).toBe(0)
      drains("there")
      for (let nth = 1; nth < nodesDrainingMax; nth++) drains(`n${nth}`)
      expect(yield* command("m")).toBe(1)
      for (let nth = 0; nth < nodesDrainingMax; nth++) drains(`more${nth}`)
      expect(yield* command("m")).toBe(0)
    }).pipe(Effect.scoped, Effect.provide(around))
  )
})

describe("the snapshots that are written at once", () => {
  it.effect(`are those of ${nodeStepDaemons} daemons in a step`, () =>
    Effect.gen(function* () {
      const { others, steps } = yield* startOthers
      others.publishSnapshots(
        Array.from({ length: nodeStepDaemons + 1 }, (_, nth) => snapshot([], { daemonId: `m${nth}` }))
      )
      // account, daemon, connection and snapshot of each, beside what every call has
      const beside = 4
      expect(steps).toEqual([nodeStepDaemons * 4 + beside, 4 + beside])
    }).pipe(Effect.scoped, Effect.provide(around))
  )
})

describe("the database's word on daemons and nodes", () => {
  const silent = Layer.merge(
    Layer.mock(Daemons, { standings: () => Effect.never }),
    Layer.mock(Nodes, { alive: Effect.never })
  )

  it.effect(`is waited for ${nodeStoreMillisMax / 1_000} s, and then nothing is concluded`, () =>
    Effect.gen(function* () {
      const recovery = yield* makeRecovery({ node: "here" }, {} as never, yield* Daemons, yield* Nodes)
      const ended: Array<unknown> = []
      void recovery.standings(["m"]).then((found) => ended.push(found))
      void recovery.apart([]).catch(() => ended.push("rejected"))
      yield* TestClock.adjust(nodeStoreMillisMax - 1)
      expect(ended).toEqual([])
      yield* TestClock.adjust(1)
      yield* Effect.promise(() => until("both have ended", () => ended.length === 2))
      expect(new Set(ended)).toEqual(new Set([undefined, "rejected"]))
    }).pipe(Effect.provide(silent))
  )
})

describe("a connection that was taken for and is never welcomed", () => {
  it.effect(`is let go of after ${nodeTakenMillisMax / 1_000} s, and the daemon with it`, () =>
    Effect.gen(function* () {
      const model = new RedisModel(() => 0)
      const call = async (command: string, args: ReadonlyArray<string | number>) => model.call("p:", command, args)
      const wire = { node: "here", prefix: "p:", call, away: () => false, tellNode: () => {} } as never
      const records = makeRecords(wire)
      yield* Effect.promise(() => records.settled())
      const holding = new Holding(wire, yield* Timers, records, {} as never)
      holding.roster = { epochOf: () => undefined } as never
      expect(yield* Effect.promise(() => holding.take("acc", "m", 1))).toMatchObject({ word: "unsettled" })
      yield* TestClock.adjust(nodeTakenMillisMax - 1)
      expect(model.holder("acc", "m")).toBe("here")
      yield* TestClock.adjust(1)
      yield* Effect.promise(async () => {})
      expect(model.holder("acc", "m")).toBeUndefined()
    }).pipe(Effect.provide(Timers.layer))
  )
})

describe("what a node has told, and Redis does not know yet", () => {
  it.effect(`is remembered of ${nodeWaitingMax} daemons; one more is told, counted, and not said again`, () =>
    Effect.gen(function* () {
      let said = 0
      const told = () => {
        said++
        return new Promise<never>(() => {})
      }
      const debts = new Debts({ told })
      const one = (nth: number) => ({ accountId: "acc", daemonId: `m${nth}`, epoch: 1 })
      for (let nth = 0; nth < nodeWaitingMax; nth++) void debts.pay(one(nth))
      const dropped = counted("hub_bus_dropped_total")
      void debts.pay(one(nodeWaitingMax))
      expect(said).toBe(nodeWaitingMax + 1)
      expect(counted("hub_bus_dropped_total")).toBe(dropped + 1)
      expect([debts.isPaid(one(nodeWaitingMax - 1)), debts.isPaid(one(nodeWaitingMax))]).toEqual([true, false])
      void debts.pay({ ...one(0), epoch: 2 })
      expect(counted("hub_bus_dropped_total")).toBe(dropped + 1)
      yield* Effect.void
    })
  )
})
