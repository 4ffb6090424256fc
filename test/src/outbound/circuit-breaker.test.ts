/** A source that fails is not stormed: who is sent away, who tries it, and when all may ask again. */
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { turnPauseMillis } from "../../../src/limits.ts"
import { circuitBreaker } from "../../../src/outbound/circuit-breaker.ts"
import { it } from "../../support/effect-test.ts"

const world = () => {
  const source = { calls: 0, fails: true }
  const spared = circuitBreaker<string, string>(turnPauseMillis, Effect.fail("spared"))
  const call = Effect.suspend(() => {
    source.calls += 1
    return source.fails ? Effect.fail("failed") : Effect.succeed("served")
  })
  const outcome = (one: Effect.Effect<string, string>) => Effect.catch(spared(one), Effect.succeed)
  return {
    source,
    spared,
    outcome,
    ask: outcome(call),
    many: Effect.all(Array.from({ length: 1_000 }, () => outcome(call)))
  }
}

describe("a source that failed", () => {
  it.effect("is asked by nobody for 10 s, however many come", function* () {
    const { source, ask, many } = world()
    expect(yield* ask).toBe("failed")
    expect(new Set(yield* many)).toEqual(new Set(["spared"]))
    yield* TestClock.adjust(turnPauseMillis - 1)
    yield* many
    expect(source.calls).toBe(1)
  })

  it.effect("is then tried by one, and left alone for another 10 s when that fails too", function* () {
    const { source, ask, many } = world()
    yield* ask
    yield* TestClock.adjust(turnPauseMillis)
    yield* many
    expect(source.calls).toBe(2)
    yield* TestClock.adjust(turnPauseMillis - 1)
    expect(yield* ask).toBe("spared")
  })

  it.effect(
    "is open to all again once the one who tries it is served; until then the others are sent away",
    function* () {
      const { source, outcome, ask, many } = world()
      yield* ask
      yield* TestClock.adjust(turnPauseMillis)
      const gate = yield* Deferred.make<string>()
      const trial = yield* Effect.forkChild(outcome(Deferred.await(gate)), { startImmediately: true })
      source.fails = false
      expect(yield* ask).toBe("spared")
      yield* Deferred.succeed(gate, "served at last")
      expect(yield* Fiber.join(trial)).toBe("served at last")
      expect(new Set(yield* many)).toEqual(new Set(["served"]))
    }
  )

  it.effect("has failed as well when the call is interrupted because it took too long", function* () {
    const { outcome, ask } = world()
    const hanging = yield* Effect.forkChild(outcome(Effect.never), { startImmediately: true })
    yield* Fiber.interrupt(hanging)
    expect(yield* ask).toBe("spared")
  })
})
