/**
 * Precedence at the store without a timer: urgent work counts itself while it runs, other work lets a few of these
 * pass. Owns the count; a wait always ends, since urgent work ends.
 */
import { Effect } from "effect"

/** An order of precedence. */
export interface Precedence {
  /** Runs urgent work. */
  readonly first: <A, E, R>(urgent: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Ends at once when no urgent work runs, else when none runs any more or `most` of it has ended. */
  readonly after: (most: number) => Effect.Effect<void>
}

export const makePrecedence = (): Precedence => {
  let underway = 0
  let waiting: Array<{ left: number; readonly go: () => void }> = []
  const over = Effect.sync(() => {
    underway--
    if (waiting.length === 0) return
    const before = waiting
    waiting = []
    for (const one of before) {
      one.left--
      if (underway === 0 || one.left <= 0) one.go()
      else waiting.push(one)
    }
  })
  return {
    first: (urgent) =>
      Effect.suspend(() => {
        underway++
        return Effect.ensuring(urgent, over)
      }),
    after: (most) =>
      Effect.callback<void>((resume) => {
        if (underway === 0) return resume(Effect.void)
        waiting.push({ left: most, go: () => resume(Effect.void) })
      })
  }
}
