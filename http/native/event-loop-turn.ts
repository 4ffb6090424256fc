/** Waits for a short turn of the event loop; a turn polls the system's events once. Owns that wait and its bound. */
import { Clock, Effect } from "effect"
import { shortTurnMillis, shortTurnWaitMillisMax } from "../../src/limits/edge.ts"

const nanos = 1_000_000n

/** Ends right after a short turn, so that almost nothing can have arrived since its events were polled. */
export const shortTurn: Effect.Effect<void> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  // from one point of a turn to the same point of the next turn
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
