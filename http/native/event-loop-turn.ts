/**
 * A turn of the event loop, in which the system's events are looked at once. Owns the wait for a short one, and its
 * bound.
 */
import { Clock, Effect } from "effect"
import { shortTurnMillis, shortTurnWaitMillisMax } from "../../src/limits/edge.ts"

const nanos = 1_000_000n

/** Ends right after a turn that was short, so that next to nothing can have come since its events were looked at. */
export const shortTurn: Effect.Effect<void> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  // from one point of a turn to the same point of the next
  yield* Effect.yieldNow
  let before = clock.monotonicTimeNanosUnsafe()
  const end = before + BigInt(shortTurnWaitMillisMax) * nanos
  for (;;) {
    yield* Effect.yieldNow
    const now = clock.monotonicTimeNanosUnsafe()
    if (now - before <= BigInt(shortTurnMillis) * nanos || now >= end) return
    before = now
  }
})
