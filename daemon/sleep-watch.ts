/**
 * Notices that this machine has slept: timers stand still meanwhile, and connections die unseen; only the wall clock
 * goes on. Owns the look at both clocks; does nothing about it.
 */
import type { Clock } from "./clock.ts"
import { sleptMillisMin, wakeLookMillis } from "./limits.ts"

/** Calls back, soon after it woke, with how long it slept. Returns how to stop. A clock that was set counts as well. */
export const watchSleep = (clock: Clock, slept: (millis: number) => void): (() => void) => {
  let before = clock.now() - clock.steady()
  let cancel = (): void => undefined
  const look = (): void => {
    const ahead = clock.now() - clock.steady()
    const millis = ahead - before
    before = ahead
    cancel = clock.after(wakeLookMillis, look)
    if (millis >= sleptMillisMin) slept(millis)
  }
  cancel = clock.after(wakeLookMillis, look)
  return () => cancel()
}
