/** The wait for a short turn of the event loop: which turn ends it, and that every wait is bounded. */
import { Clock, Effect } from "effect"
import { describe, expect } from "vitest"
import { shortTurn } from "../../../http/native/event-loop-turn.ts"
import { shortTurnMillis, shortTurnWaitMillisMax } from "../../../src/limits/edge.ts"
import { it } from "../../support/effect-test.ts"

/** Waits where the turns take so many microseconds, the last of them again and again: how many it took. */
const turnsOf = (micros: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    let [now, looks] = [0, 0]
    const clock: Clock.Clock = Object.assign(Object.create(yield* Clock.Clock) as Clock.Clock, {
      monotonicTimeNanosUnsafe: () => {
        if (looks > 0) now += micros[Math.min(looks, micros.length) - 1]!
        looks++
        return BigInt(now) * 1_000n
      }
    })
    yield* Effect.provideService(shortTurn, Clock.Clock, clock)
    return looks - 1
  })

describe("the wait for a short turn", () => {
  const share = shortTurnWaitMillisMax / shortTurnMillis

  it.effect("ends with the first one that is short for the wait so far", function* () {
    expect(yield* turnsOf([share * 10, 12, 10, 9])).toBe(3)
    // turns that are all alike are short once so many have passed
    expect(yield* turnsOf([7])).toBe(share)
    expect(yield* turnsOf([shortTurnMillis * 1_000])).toBe(share)
  })

  it.effect("ends with a long one when its time is over", function* () {
    expect(yield* turnsOf([(shortTurnWaitMillisMax - 1) * 1_000, 20_000])).toBe(2)
    expect(yield* turnsOf([10_000])).toBe(shortTurnWaitMillisMax / 10)
  })
})
