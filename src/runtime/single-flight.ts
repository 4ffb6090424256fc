/**
 * One run for all who ask for the same thing meanwhile. Owns what is under way; keeps nothing once it is done. A run
 * outlives whoever asked first, so that one who leaves takes nothing from the others.
 */
import { Deferred, Effect } from "effect"

/** Runs that are shared by key. */
export interface SingleFlight<A, E> {
  /** Joins the run under this key, or begins it. */
  readonly ask: (key: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** From here on nobody joins what is under way: it began before something changed. */
  readonly forget: () => void
}

/** Makes a place for shared runs. There are never more of them than callers who wait. */
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
    forget: () => running.clear()
  }
}
