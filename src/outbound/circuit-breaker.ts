/**
 * A source that fails is spared: it is left alone for a while, then tried by one call at a time, until it answers. So a
 * broken source is not stormed by everyone who misses it. Owns that judgement; asks nobody by itself.
 */
import { Clock, Effect, Exit } from "effect"
import { monotonicMillis } from "../runtime/monotonic.ts"

/** Wraps the calls to a source: while it is spared, `refuse` instead. A call that is interrupted has failed. */
export const sparing = <A, E>(pauseMillis: number, refuse: Effect.Effect<never, E>) => {
  let failing = false
  let trying = false
  let quietUntil = 0
  return (call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(Clock.Clock, (clock) => {
      const now = () => monotonicMillis(clock)
      if (failing && (trying || now() < quietUntil)) return refuse
      const trial = failing
      if (trial) trying = true
      return Effect.onExit(call, (exit) =>
        Effect.sync(() => {
          if (trial) trying = false
          failing = !Exit.isSuccess(exit)
          if (failing) quietUntil = now() + pauseMillis
        })
      )
    })
}
