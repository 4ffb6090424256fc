/** Periodic work: when its rounds are, and what a failed one does. */
import { Effect, Exit, Fiber, Latch, Logger, type LogLevel, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { flushEvery, NodeStarted, repeatEvery } from "../../../src/runtime/repeat-every.ts"
import { it } from "../../support/effect-test.ts"

describe("work that is repeated every 100 ms", () => {
  it.effect(
    "begins after 100 ms, goes on after a failure and a defect, which are logged, and ends with its scope",
    function* () {
      const said: Array<unknown> = []
      const log = Logger.layer([Logger.make((options: Logger.Options<unknown>) => void said.push(options.message))])
      let rounds = 0
      const work = Effect.suspend((): Effect.Effect<void, string> => {
        rounds++
        if (rounds === 1) return Effect.fail("it failed")
        return rounds === 2 ? Effect.die("a bug") : Effect.void
      })
      const scope = yield* Scope.make()
      yield* Effect.provide(Scope.provide(repeatEvery(100, "a round failed", work), scope), log)
      yield* TestClock.adjust(99)
      expect(rounds).toBe(0)
      yield* TestClock.adjust(201)
      expect(rounds).toBe(3)
      expect(said.map(String)).toEqual([
        expect.stringContaining("a round failed"),
        expect.stringContaining("a round failed")
      ])
      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust(1_000)
      expect(rounds).toBe(3)
    }
  )

  it.effect(
    "begins with its node or once that is ready, as it says, and in both cases once per period then",
    function* () {
      const rounds = { atOnce: 0, onceReady: 0 }
      const started = Latch.makeUnsafe(false)
      for (const when of ["atOnce", "onceReady"] as const) {
        const work = Effect.sync(() => rounds[when]++)
        yield* Effect.provideService(repeatEvery(100, "a round failed", work, { [when]: true }), NodeStarted, started)
      }
      yield* TestClock.adjust(250)
      expect(rounds).toEqual({ atOnce: 3, onceReady: 0 })
      started.openUnsafe()
      yield* TestClock.adjust(0)
      expect(rounds).toEqual({ atOnce: 3, onceReady: 1 })
      yield* TestClock.adjust(100)
      expect(rounds).toEqual({ atOnce: 4, onceReady: 2 })
    }
  )

  it.effect(
    "with a rest waits a multiple of what a round took, no longer than its bound, and no less than ever",
    function* () {
      let [rounds, takesMillis] = [0, 50]
      const work = Effect.suspend(() => {
        rounds++
        return Effect.sleep(takesMillis)
      })
      yield* repeatEvery(100, "a round failed", work, { atOnce: true, rest: { times: 9, millisMax: 2_000 } })
      const roundsAfter = (millis: number) => Effect.map(TestClock.adjust(millis), () => rounds)
      expect(yield* roundsAfter(0)).toBe(1)
      expect(yield* roundsAfter(50 + 449)).toBe(1)
      takesMillis = 1_000
      expect(yield* roundsAfter(1)).toBe(2)
      expect(yield* roundsAfter(1_000 + 1_999)).toBe(2)
      takesMillis = 1
      expect(yield* roundsAfter(1)).toBe(3)
      expect(yield* roundsAfter(1 + 99)).toBe(3)
      expect(yield* roundsAfter(1)).toBe(4)
    }
  )

  it.effect(
    "with one warning per row of failures begins at once, warns of the first, whatever it is, and goes on",
    () => {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }: { logLevel: LogLevel.LogLevel; message: unknown }) => {
        lines.push(`${logLevel} ${[message].flat()[0]}`)
      })
      const warnings = () => lines.filter((line) => line.startsWith("Warn"))
      let beat: Effect.Effect<void, string> = Effect.void
      let beats = 0
      return Effect.gen(function* () {
        const heartbeat = Effect.suspend(() => {
          beats++
          return beat
        })
        yield* repeatEvery(100, "the heartbeat failed", heartbeat, { atOnce: true, warnOnce: true })
        const round = TestClock.adjust(100)
        yield* TestClock.adjust(0)
        expect(beats).toBe(1)
        for (const failing of [Effect.fail("away"), Effect.die(new Error("a bug"))]) {
          lines.length = 0
          beat = failing
          for (let at = 0; at < 3; at++) yield* round
          expect(warnings()).toEqual(["Warn the heartbeat failed"])
          beat = Effect.void
          yield* round
        }
        beat = Effect.fail("away")
        yield* round
        expect(warnings()).toHaveLength(2)
        expect(beats).toBe(10)
      }).pipe(Effect.provide(Logger.layer([logger])))
    }
  )

  it.effect("and at the end of its scope is made once more, and a failure then ends nothing", function* () {
    let writes = 0
    const write = Effect.suspend(() => (++writes === 2 ? Effect.fail("away") : Effect.void))
    const scope = yield* Scope.make()
    yield* Scope.provide(flushEvery(100, "it was not written", write), scope)
    yield* TestClock.adjust(100)
    expect(writes).toBe(1)
    yield* Scope.close(scope, Exit.void)
    expect(writes).toBe(2)
  })

  it.effect("and is not cut off by the end of its scope, which makes it once more behind it", function* () {
    const steps: Array<string> = []
    const mayEnd = Latch.makeUnsafe(false)
    const write = Effect.gen(function* () {
      steps.push("begins")
      yield* mayEnd.await
      steps.push("ends")
    })
    const scope = yield* Scope.make()
    yield* Scope.provide(flushEvery(100, "it was not written", write), scope)
    yield* TestClock.adjust(100)
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
    yield* TestClock.adjust(0)
    expect(steps).toEqual(["begins"])
    mayEnd.openUnsafe()
    yield* Fiber.join(closing)
    expect(steps).toEqual(["begins", "ends", "begins", "ends"])
  })
})
