/** What this node does about cancelled commands whose daemons may not have heard it, over a scripted store. */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { Directory } from "../../../actors/commands/directory.ts"
import { StoredCommands } from "../../../actors/commands/stored-commands.ts"
import type { Daemon } from "../../../actors/daemon/state.ts"
import { PresenceWriter } from "../../../actors/presence/presence-writer.ts"
import { type Entry, Roster } from "../../../actors/presence/roster.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import { commandSweepMillis, commandSweepRows } from "../../../src/limits/commands.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { Commands } from "../../../src/store/daemons/commands.ts"
import { it } from "../../support/effect-test.ts"
import { scriptedBudgets } from "../../support/scripted-volume-budgets.ts"

/** A daemon that is told to end a command, as the store has it: until the row has an end. */
const world = () => {
  const told: Array<unknown> = []
  const rows = new Map([["cmd_1", { commandId: "cmd_1", daemonId: "dmn_1" }]])
  const daemon = { tell: (message: unknown) => void told.push(message) } as unknown as Daemon
  const find = (id: string) => (id === "dmn_1" ? ({ daemon } as Entry) : undefined)
  const layer = StoredCommands.layer.pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.mock(Commands, {
          cancelled: (node, after, limit) =>
            Effect.sync(() => {
              const following = [...rows.values()].filter(({ commandId }) => commandId > after)
              return node === "node_1" ? following.slice(0, limit) : []
            })
        }),
        Layer.succeed(Directory, {} as Directory["Service"]),
        Layer.succeed(Roster, { find } as Partial<Roster["Service"]> as Roster["Service"]),
        Layer.succeed(PresenceWriter, { node: "node_1" } as Partial<
          PresenceWriter["Service"]
        > as PresenceWriter["Service"]),
        Timers.layer,
        Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32) }),
        layerMemory,
        scriptedBudgets()
      )
    )
  )
  return { layer, told, rows }
}

const cancel = { type: "cancel", id: "cmd_1" }

it.effect(
  `the daemon of a cancelled command is told again every ${commandSweepMillis} ms as long as the row has no end`,
  () => {
    const { layer, told, rows } = world()
    return Effect.gen(function* () {
      yield* StoredCommands
      yield* TestClock.adjust(commandSweepMillis)
      expect(told).toEqual([cancel])
      yield* TestClock.adjust(commandSweepMillis)
      expect(told).toEqual([cancel, cancel])
      rows.clear()
      yield* TestClock.adjust(commandSweepMillis)
      expect(told).toEqual([cancel, cancel])
    }).pipe(Effect.provide(layer))
  }
)

it.effect(
  `the daemon of a cancelled command is told behind ${commandSweepRows} others that do not end, and these are told again after it`,
  () => {
    const { layer, told, rows } = world()
    const ids = Array.from({ length: commandSweepRows }, (_, at) => `cmd_0${String(at).padStart(3, "0")}`)
    rows.clear()
    for (const commandId of [...ids, "cmd_1"]) rows.set(commandId, { commandId, daemonId: "dmn_1" })
    return Effect.gen(function* () {
      yield* StoredCommands
      yield* TestClock.adjust(commandSweepMillis)
      expect(told).toHaveLength(commandSweepRows)
      yield* TestClock.adjust(commandSweepMillis)
      expect(told).toHaveLength(2 * commandSweepRows)
      expect(told[commandSweepRows]).toEqual(cancel)
      expect(new Set(told.slice(commandSweepRows).map((one) => JSON.stringify(one))).size).toBe(commandSweepRows)
    }).pipe(Effect.provide(layer))
  }
)
