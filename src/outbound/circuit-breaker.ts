/**
 * A circuit breaker: a source that fails is left alone for a pause, then tried by one call at a time until it answers.
 * Owns whether the circuit is open; calls nothing by itself.
 */
import { Clock, Effect, Exit } from "effect"
import { monotonicMillis } from "../runtime/monotonic.ts"

/**
 * Wraps the calls to a source; while the circuit is open, `refuse` runs instead. An interrupted call counts as failed.
 */
export const circuitBreaker = <A, E>(pauseMillis: number, refuse: Effect.Effect<never, E>) => {
  let failing = false
  let trying = false
  let openUntil = 0
  return (call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(Clock.Clock, (clock) => {
      const now = () => monotonicMillis(clock)
      if (failing && (trying || now() < openUntil)) return refuse
      const trial = failing
      if (trial) trying = true
      return Effect.onExit(call, (exit) =>
        Effect.sync(() => {
          if (trial) trying = false
          failing = !Exit.isSuccess(exit)
          if (failing) openUntil = now() + pauseMillis
        })
      )
    })
}
