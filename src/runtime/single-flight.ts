/**
 * One run for all concurrent callers of the same key. Owns the runs under way; keeps no result. A run goes on when the
 * caller that started it is interrupted.
 */
import { Deferred, Effect } from "effect"

/** Runs shared per key. */
export interface SingleFlight<A, E> {
  /** Joins the run of this key, or starts it. */
  readonly ask: (key: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly has: (key: string) => boolean
  /** Runs that a caller can join. */
  readonly size: () => number
  /** No later caller joins the runs under way: they began before something changed. */
  readonly forget: () => void
}

/** Makes an empty set of shared runs. The caller bounds them, by `size` or by its own callers. */
export const singleFlight = <A, E>(): SingleFlight<A, E> => {
  const running = new Map<string, Deferred.Deferred<A, E>>()
  return {
    ask: (key, work) =>
      Effect.suspend(() => {
        const joined = running.get(key)
        if (joined !== undefined) return Deferred.await(joined)
        const answer = Deferred.makeUnsafe<A, E>()
        running.set(key, answer)
        const whole = Effect.flatMap(Effect.exit(work), (exit) =>
          Effect.sync(() => {
            if (running.get(key) === answer) running.delete(key)
            Deferred.doneUnsafe(answer, exit)
          })
        )
        return Effect.andThen(Effect.forkDetach(whole, { startImmediately: true }), Deferred.await(answer))
      }),
    has: (key) => running.has(key),
    size: () => running.size,
    forget: () => running.clear()
  }
}
