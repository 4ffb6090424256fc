/** Every act, and which of them a seed plays. Owns their order. */
import {
  cancel,
  crowd,
  lostCalls,
  missedCancel,
  overdue,
  staleClaim,
  steadyCalls,
  strangers
} from "./command-scenarios.ts"
import { failingReceivers, lostLease, missedDue, slowReads } from "./delivery-scenarios.ts"
import { flood } from "./flood-scenarios.ts"
import { bounce, lapse, missedMove, missedReturn, missedRevocation } from "./node-scenarios.ts"
import {
  death,
  goodbye,
  lateClose,
  lostClaim,
  overtakenEnd,
  redial,
  refusedEnd,
  relapse
} from "./presence-scenarios.ts"
import type { Act } from "./scenario.ts"

const first: Readonly<Record<string, Act>> = {
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

const last: Readonly<Record<string, Act>> = { redial, steadyCalls, missedDue, flood, staleClaim }

/** By the name under which the course of a world shows them. */
export const acts: Readonly<Record<string, Act>> = { ...first, ...last }

const names = Object.keys(first)
/** Those that came later are played last: the courses of seeds that once showed a defect stay as they were. */
const lastNames = Object.keys(last)
/** How far the second act of a seed is behind the first: seeds pair each with different ones. */
const apart = 7

/** Those of a seed, so that few seeds have played all. */
export const actsOf = (seed: number): ReadonlyArray<string> => {
  const round = Math.floor(seed / names.length)
  const [one, other] = [names[seed % names.length]!, names[(seed + apart + round) % names.length]!]
  return [one, other, lastNames[round % lastNames.length]!]
}
