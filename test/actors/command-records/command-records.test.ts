/** The rows of commands as the daemons of a node need them: what a look through all rows does where the store fails. */
import { Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { CommandRecords } from "../../../actors/command-records/command-records.ts"
import { DaemonEvents } from "../../../actors/events/daemon-events.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import { commandSweepRows } from "../../../src/limits/commands.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { Commands } from "../../../src/store/daemons/commands.ts"
import { it } from "../../support/effect-test.ts"
import { scriptedBudgets } from "../../support/scripted-volume-budgets.ts"
import { failedWith } from "../../support/store-failures.ts"

describe("a look through the rows of commands", () => {
  it.effect("ends where what is due cannot be written, and does not find the same again and again", () => {
    let looks = 0
    const due = Array.from({ length: commandSweepRows }, (_, nth) => ({ commandId: `cmd_${nth}`, daemonId: "dmn" }))
    const commands = {
      due: () => Effect.sync(() => (++looks > 3 ? [] : due)),
      standings: () => Effect.fail(failedWith("22021")),
      prune: () => Effect.succeed(0)
    } as unknown as Commands["Service"]
    const layer = CommandRecords.layer.pipe(
      Layer.provide([
        Layer.succeed(Commands, commands),
        Layer.succeed(DaemonEvents, {} as DaemonEvents["Service"]),
        scriptedBudgets(),
        Timers.layer,
        Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32) })
      ])
    )
    return Effect.gen(function* () {
      yield* (yield* CommandRecords).sweep
      expect(looks).toBe(1)
    }).pipe(Effect.provide(layer))
  })
})
