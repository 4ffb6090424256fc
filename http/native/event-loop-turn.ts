/** Waits for a short turn of the event loop; a turn polls the system's events once. Owns that wait and its bound. */
import { Clock, Effect } from "effect"
import { shortTurnMillis, shortTurnWaitMillisMax } from "../../src/limits/edge.ts"

const nanos = 1_000_000n

/**
 * Ends right after a short turn, so that almost nothing can have arrived since its events were polled. What counts as
 * short grows with the wait, up to its bound: an idle loop has a turn of some microseconds at hand, a busy one has not.
 */
export const shortTurn: Effect.Effect<void> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  // from one point of a turn to the same point of the next turn
  yield* Effect.yieldNow
  const began = clock.monotonicTimeNanosUnsafe()
  let before = began
  for (;;) {
    yield* Effect.yieldNow
    const now = clock.monotonicTimeNanosUnsafe()
    const waited = now - began
    const isOver = waited >= BigInt(shortTurnWaitMillisMax) * nanos
    if (isOver || (now - before) * BigInt(shortTurnWaitMillisMax) <= waited * BigInt(shortTurnMillis)) return
    before = now
  }
})
