/** Every act, and which of them a seed plays. Owns their order. */
import { cancel, crowd, lostCalls, missedCancel, overdue, strangers } from "./command-acts.ts"
import { failingReceivers, lostLease, slowReads } from "./delivery-acts.ts"
import { bounce, lapse, missedMove, missedReturn, missedRevocation } from "./node-acts.ts"
import { death, goodbye, lateClose, lostClaim, overtakenEnd, refusedEnd, relapse } from "./presence-acts.ts"
import type { Act } from "./stage.ts"

/** By the name under which the course of a world shows them. */
export const acts: Readonly<Record<string, Act>> = {
  goodbye,
  relapse,
  lateClose,
  lostClaim,
  refusedEnd,
  overtakenEnd,
  death,
  missedMove,
  missedRevocation,
  missedReturn,
  bounce,
  lapse,
  lostCalls,
  overdue,
  cancel,
  missedCancel,
  strangers,
  crowd,
  slowReads,
  lostLease,
  failingReceivers
}

const names = Object.keys(acts)
/** How far the second act of a seed is behind the first: seeds pair each with different ones. */
const apart = 7

/** Those of a seed, so that few seeds have played all. */
export const actsOf = (seed: number): ReadonlyArray<string> => {
  const round = Math.floor(seed / names.length)
  return [names[seed % names.length]!, names[(seed + apart + round) % names.length]!]
}
