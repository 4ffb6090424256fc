/**
 * What a daemon may send: so many frames and bytes in any 10 s. Owns the exact window; pure, knows no clock. At most
 * `framesPer10sMax` entries are ever held, since the next one is refused.
 */
import { frameBudgetMillis, frameBytesPer10sMax, framesPer10sMax } from "../../src/limits.ts"

/** The window: times and sizes of the frames in it, oldest first, side by side in one array. */
export interface Budget {
  readonly frames: Array<number>
  bytes: number
}

export const emptyBudget = (): Budget => ({ frames: [], bytes: 0 })

const forget = (budget: Budget, now: number): void => {
  const { frames } = budget
  let gone = 0
  // what is later than now came before the clock was set back
  const over = (at: number): boolean => at > now || now - at >= frameBudgetMillis
  while (gone < frames.length && over(frames[gone]!)) {
    budget.bytes -= frames[gone + 1]!
    gone += 2
  }
  if (gone > 0) frames.splice(0, gone)
}

/** Charges a frame; false when it is one too many. What is refused is not charged. */
export const charge = (budget: Budget, now: number, bytes: number): boolean => {
  forget(budget, now)
  if (budget.frames.length >= 2 * framesPer10sMax || budget.bytes + bytes > frameBytesPer10sMax) return false
  budget.frames.push(now, bytes)
  budget.bytes += bytes
  return true
}
