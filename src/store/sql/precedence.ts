/**
 * Who may go first at the store without a timer: what is urgent counts itself while it is under way, what is not lets a
 * few of those pass. Owns the count; a wait always ends, since what is under way ends.
 */
import { Effect } from "effect"

/** An order of precedence. */
export interface Precedence {
  /** Runs what goes first. */
  readonly first: <A, E, R>(urgent: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Ends at once when nothing urgent is under way, else when nothing is any more or so many have ended. */
  readonly after: (most: number) => Effect.Effect<void>
}

/** Makes one. */
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
