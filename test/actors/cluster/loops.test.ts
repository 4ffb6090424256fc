/** Periodic work of a node: a failure is said once, and ends nothing. */
import { it } from "@effect/vitest"
import { Effect, Logger, type LogLevel } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { forever } from "../../../actors/cluster/loops.ts"
import { nodeRenewMillis } from "../../../src/limits/nodes.ts"

describe("the periodic work of a node", () => {
  it.effect("warns of the first failure of a row, whatever it is, and goes on", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }: { logLevel: LogLevel.LogLevel; message: unknown }) => {
      lines.push(`${logLevel} ${[message].flat()[0]}`)
    })
    const warnings = () => lines.filter((line) => line.startsWith("Warn"))
    let beat: Effect.Effect<void, string> = Effect.void
    let beats = 0
    return Effect.gen(function* () {
      const all = forever(
        "the heartbeat",
        Effect.suspend(() => {
          beats++
          return beat
        })
      )
      yield* Effect.forkChild(all, { startImmediately: true })
      const round = TestClock.adjust(nodeRenewMillis)
      for (const failing of [Effect.fail("away"), Effect.die(new Error("a bug"))]) {
        lines.length = 0
        beat = failing
        for (let at = 0; at < 3; at++) yield* round
        expect(warnings()).toEqual(["Warn the heartbeat failed and is tried again"])
        beat = Effect.void
        yield* round
      }
      beat = Effect.fail("away")
      yield* round
      expect(warnings()).toHaveLength(2)
      expect(beats).toBe(10)
    }).pipe(Effect.provide(Logger.layer([logger])))
  })
})
