/** Waits in tests for a condition of a real process or store. Owns the polling; no test sleeps by itself. */
import { setTimeout as pause } from "node:timers/promises"

const pollMillis = 5
/** What has not come for long is asked for less often: a probe that makes a call costs the hub that is waited for. */
const pollMillisMax = 50
const pollShare = 0.05
/** Longer than leases, graces and pauses of real nodes together, on a daemon that is crowded. */
const patienceMillis = 60_000
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
  const begun = performance.now()
  let last: unknown
  for (;;) {
    try {
      last = await probe()
      if (last !== undefined && last !== null && last !== false) return last as NonNullable<Exclude<A, false>>
    } catch (error) {
      last = error
    }
    const waited = performance.now() - begun
    if (waited > millis) throw new Error(`never came true: ${what}`, { cause: last })
    await pause(Math.min(pollMillisMax, Math.max(pollMillis, waited * pollShare)))
  }
}
