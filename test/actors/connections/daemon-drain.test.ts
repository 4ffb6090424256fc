/** A node that drains: what each of its daemons is told and when, who is sent no command any more, and who was left. */
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Cluster } from "../../../actors/cluster/cluster.ts"
import { Connections } from "../../../actors/connections/connections.ts"
import { DaemonDrain } from "../../../actors/connections/daemon-drain.ts"
import { type Entry, Roster } from "../../../actors/presence/roster.ts"
import { SnapshotWriter } from "../../../actors/presence/snapshot-writer.ts"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import {
  aloneFirstMillis,
  aloneSlotMillis,
  drainsHeardMillis,
  lastHoldMillis,
  slotEndMillis,
  slotHoldMillis
} from "../../../src/limits/drain.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { it } from "../../support/effect-test.ts"
import { snapshot } from "../../support/snapshots.ts"

const drainMillis = 20_000
const reconnectSpreadMillis = 8_000

/** A node of so many daemons, what they are told, and which are held. `alone`: whether every other node drains too. */
const nodeOf = (daemons: number, alone: () => boolean, spreadMillis = reconnectSpreadMillis) => {
  const told: Array<string> = []
  const held = new Set<string>()
  const entries = Array.from({ length: daemons }, (_, at): Entry => {
    const tell = (message: { readonly type: string; readonly afterMs?: number }): boolean => {
      told.push(`m${at} ${message.type}${message.afterMs === undefined ? "" : ` ${message.afterMs}`}`)
      return true
    }
    return { snapshot: snapshot([], { daemonId: `m${at}`, epoch: 1 }), daemon: { tell } as never, held: false }
  })
  const fakes = Layer.mergeAll(
    Layer.succeed(Connections, { refuseAll: () => void told.push("unauthenticated refused") } as never),
    Layer.succeed(Cluster, {
      isSingleNode: false,
      announceDrain: () => void told.push("drains"),
      isLastNode: Effect.sync(alone)
    } as never),
    Layer.succeed(Roster, {
      live: () => entries,
      hold: (daemonId: string, _epoch: number, hold: boolean) =>
        void (hold ? held.add(daemonId) : held.delete(daemonId))
    } as never),
    Layer.succeed(SnapshotWriter, { flush: Effect.succeed(true) } as never),
    Layer.succeed(Supervisor, { awaitEmpty: (millis: number) => Effect.as(Effect.sleep(millis), []) } as never),
    Config.layer({
      ...defaultSettings,
      drainMillis,
      reconnectSpreadMillis: spreadMillis,
      secretKey: new Uint8Array(32)
    }),
    Timers.layer
  )
  return { told, held, entries, layer: Layer.provideMerge(DaemonDrain.layer, fakes) }
}

describe("a node that drains", () => {
  it.effect("whose neighbours are heard to drain too sends nobody to them, and is done at once", () => {
    let cluster = false
    const { told, held, layer } = nodeOf(3, () => cluster)
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild((yield* DaemonDrain).begin(drainMillis), { startImmediately: true })
      yield* TestClock.adjust(drainsHeardMillis - 1)
      expect(told).toEqual(["unauthenticated refused", "drains"])
      cluster = true
      yield* TestClock.adjust(1)
      yield* Fiber.join(fiber)
      expect(told.slice(2)).toEqual(
        [0, 1, 2].map((at) => `m${at} reconnect ${aloneFirstMillis + at * aloneSlotMillis}`)
      )
      expect(held.size).toBe(0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("spreads its daemons over half of its drain, where the spread is set to more", () => {
    const { told, layer } = nodeOf(2, () => false, drainMillis - 1)
    return Effect.gen(function* () {
      yield* Effect.forkChild((yield* DaemonDrain).begin(drainMillis), { startImmediately: true })
      yield* TestClock.adjust(drainsHeardMillis)
      expect(told.slice(2)).toEqual(["m0 reconnect 0", `m1 reconnect ${drainMillis / 2 / 2}`])
    }).pipe(Effect.provide(layer))
  })

  it.effect("holds the commands to a daemon from shortly before its slot until it must be gone", () => {
    const { told, held, layer } = nodeOf(2, () => false)
    return Effect.gen(function* () {
      yield* Effect.forkChild((yield* DaemonDrain).begin(drainMillis), { startImmediately: true })
      yield* TestClock.adjust(drainsHeardMillis)
      const slot = reconnectSpreadMillis / 2
      expect(told.slice(2)).toEqual(["m0 reconnect 0", `m1 reconnect ${slot}`])
      expect([...held]).toEqual(["m0"])
      yield* TestClock.adjust(slotEndMillis)
      expect([told.at(-1), ...held]).toEqual(["m0 slotOver"])
      yield* TestClock.adjust(slot - slotHoldMillis - slotEndMillis)
      expect([...held]).toEqual(["m1"])
      yield* TestClock.adjust(slotHoldMillis + slotEndMillis)
      expect([told.at(-1), ...held]).toEqual(["m1 slotOver"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("sends nobody who is still there a command in the last 4 s before the deadline", () => {
    const { held, layer } = nodeOf(2, () => false)
    return Effect.gen(function* () {
      yield* Effect.forkChild((yield* DaemonDrain).begin(drainMillis), { startImmediately: true })
      yield* TestClock.adjust(drainsHeardMillis)
      yield* TestClock.adjust(drainMillis - lastHoldMillis - 1)
      expect([...held]).toEqual([])
      yield* TestClock.adjust(1)
      expect([...held]).toEqual(["m0", "m1"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("names who is left: how many, and the first twenty", () => {
    const { layer } = nodeOf(25, () => false)
    return Effect.gen(function* () {
      const { daemons, first } = (yield* DaemonDrain).left()
      expect([daemons, first]).toEqual([25, Array.from({ length: 20 }, (_, at) => `m${at}`)])
    }).pipe(Effect.provide(layer))
  })
})
