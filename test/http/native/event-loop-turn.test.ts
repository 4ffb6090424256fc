/** The wait for a short turn of the event loop: which turn ends it, and that every wait is bounded. */

import { Clock, Effect } from "effect"
import { describe, expect } from "vitest"
import { shortTurn } from "../../../http/native/event-loop-turn.ts"
import { shortTurnMillis, shortTurnWaitMillisMax } from "../../../src/limits/edge.ts"
import { it } from "../../support/effect-test.ts"

/** Waits where the turns take so many milliseconds, the last of them again and again: how many it took. */
const turnsOf = (millis: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    let [now, looks] = [0, 0]
    const clock: Clock.Clock = Object.assign(Object.create(yield* Clock.Clock) as Clock.Clock, {
      monotonicTimeNanosUnsafe: () => {
        if (looks > 0) now += millis[Math.min(looks, millis.length) - 1]!
        looks++
        return BigInt(now) * 1_000_000n
      }
    })
    yield* Effect.provideService(shortTurn, Clock.Clock, clock)
    return looks - 1
  })

describe("the wait for a short turn", () => {
  it.effect("ends with the first one that is short", function* () {
    expect(yield* turnsOf([shortTurnMillis])).toBe(1)
    expect(yield* turnsOf([50, shortTurnMillis + 1, shortTurnMillis, 50])).toBe(3)
  })

  it.effect("ends with a long one when its time is over", function* () {
    expect(yield* turnsOf([shortTurnWaitMillisMax - 1, 20])).toBe(2)
    expect(yield* turnsOf([10])).toBe(shortTurnWaitMillisMax / 10)
  })
})
