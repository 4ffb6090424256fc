/**
 * Time and randomness for the daemon. Owns the one place that names the real ones; tests pass their own.
 */

/** What the daemon knows of time and chance. */
export interface Clock {
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Milliseconds for spans: nobody sets this clock. */
  readonly steady: () => number
  /** Calls back once after so many milliseconds; gives back how to cancel. */
  readonly after: (millis: number, what: () => void) => () => void
  /** From 0 up to but not including 1. */
  readonly random: () => number
}

/** The machine's own. */
export const realClock: Clock = {
  now: () => Date.now(),
  steady: () => Math.floor(performance.now()),
  after: (millis, what) => {
    const timer = setTimeout(what, millis)
    return () => clearTimeout(timer)
  },
  random: () => Math.random()
}
