/**
 * Time and randomness for the daemon. Owns the one place that names the real ones; tests pass their own.
 */

/** What the daemon knows of time and chance. */
export interface Clock {
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Milliseconds for spans: this clock cannot be set. */
  readonly steady: () => number
  /** Calls back once after this many milliseconds; returns how to cancel. */
  readonly after: (millis: number, what: () => void) => () => void
  /** From 0 up to but not including 1. */
  readonly random: () => number
}

/** The clocks of this computer. */
export const realClock: Clock = {
  now: () => Date.now(),
  steady: () => Math.floor(performance.now()),
  after: (millis, what) => {
    const timer = setTimeout(what, millis)
    return () => clearTimeout(timer)
  },
  random: () => Math.random()
}
