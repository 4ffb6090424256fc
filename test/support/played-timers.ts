/** Timers of a node that a test plays: time stands still until it passes. Owns their shape over the virtual clock. */
import { virtualClock } from "./virtual-clock.ts"

/** Timers at 0. */
export const playedTimers = () => {
  const clock = virtualClock()
  const start = clock.now()
  return {
    monotonic: () => clock.now() - start,
    after: (millis: number, fire: () => void) => ({ clear: clock.after(millis, fire) }),
    /** Moves on, and fires what is due on the way, in order. */
    pass: clock.advance
  }
}
