/** Waits in tests for a condition of a real process or store. Owns the polling; no test sleeps by itself. */
import { setTimeout as pause } from "node:timers/promises"

/** Soon at first; of a long wait, so seldom that asking costs those who are waited for nothing. */
const pollMillis = { first: 5, most: 50, shareOfWaited: 0.05 } as const
/** Longer than leases, graces and pauses of real nodes together, on a daemon that is crowded. */
const patienceMillis = 60_000
/** After which silence a node takes Redis for away: a machine that stands still must not take nodes apart. */
export const busPatienceMillis = 15_000
/** For what takes many starts and leases, one after the other. */
export const longPatienceMillis = 300_000

/**
 * Polls until `probe` gives something other than undefined, null or false (an exception counts as "not yet"); gives it
 * back.
 */
export const until = async <A>(
  what: string,
  probe: () => A | Promise<A>,
  millis = patienceMillis
): Promise<NonNullable<Exclude<A, false>>> => {
  const began = performance.now()
  let last: unknown
  for (;;) {
    try {
      last = await probe()
      if (last !== undefined && last !== null && last !== false) return last as NonNullable<Exclude<A, false>>
    } catch (error) {
      last = error
    }
    const waited = performance.now() - began
    if (waited > millis) throw new Error(`never came true: ${what}`, { cause: last })
    await pause(Math.min(pollMillis.first + waited * pollMillis.shareOfWaited, pollMillis.most))
  }
}

/** Waits until the clock shows another millisecond: lists are ordered by it, and what happens then is the later one. */
export const nextMillisecond = (): Promise<true> => {
  const before = Date.now()
  return until("another millisecond", () => Date.now() > before)
}
