/** Time for tests of the daemon: stands still until it is moved. Owns the order of what falls due. */
import type { Clock } from "../../daemon/clock.ts"

/** A clock that is moved by hand. */
export interface VirtualClock extends Clock {
  /** Moves on, and calls what falls due on the way, in order. */
  readonly advance: (millis: number) => void
  /** The machine sleeps: the wall clock goes on, and nothing else. */
  readonly sleep: (millis: number) => void
  /** How long until each thing that waits, soonest first. */
  readonly waits: () => ReadonlyArray<number>
}

/** A new clock; chance is always `random`. */
export const virtualClock = (random = 0.5): VirtualClock => {
  let now = 1_790_000_000_000
  let slept = 0
  let made = 0
  const waiting = new Map<number, { readonly at: number; readonly what: () => void }>()
  const first = () => [...waiting].sort(([a, x], [b, y]) => x.at - y.at || a - b)[0]
  return {
    now: () => now + slept,
    steady: () => now,
    random: () => random,
    after: (millis, what) => {
      const id = ++made
      waiting.set(id, { at: now + millis, what })
      return () => waiting.delete(id)
    },
    sleep: (millis) => {
      slept += millis
    },
    waits: () => [...waiting.values()].map(({ at }) => at - now).sort((a, b) => a - b),
    advance: (millis) => {
      const end = now + millis
      for (let due = first(); due !== undefined && due[1].at <= end; due = first()) {
        waiting.delete(due[0])
        now = due[1].at
        due[1].what()
      }
      now = end
    }
  }
}
