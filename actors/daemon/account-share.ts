/**
 * What the daemons of one account may have a node do together: how much of their reports it reads, holds and keeps, and
 * how much of their other frames it takes. Owns that arithmetic; pure, knows no clock. Who waits is
 * report-scheduler.ts's.
 */
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { costOf } from "../../src/domain/limits/cost.ts"
import type { FairDebts } from "../../src/domain/limits/fair-debts.ts"
import {
  accountCostBurstSeconds,
  accountCostPerSecond,
  accountCostPerSecondMax,
  accountCostPerSecondPerDaemon,
  accountFrameBurstSeconds,
  accountFrameBytesPerSecond,
  accountFrameBytesPerSecondMax,
  accountFrameBytesPerSecondPerDaemon,
  frameOverheadBytes,
  heldReportBytesMax,
  heldReportBytesPerDaemon,
  keptReportsAllMax,
  keptReportsMax,
  keptReportsPerDaemon,
  largeFrameBytes,
  largeReportMillis,
  reportBurstSeconds,
  reportBytesPerSecond,
  reportBytesPerSecondMax,
  reportBytesPerSecondPerDaemon,
  reportCostReserve,
  shareOfFree,
  toldQuestionBytes,
  toldQuestionCost
} from "../../src/limits.ts"

/** What is left to take, as of then; undefined: all of it. */
interface Tokens {
  left: number | undefined
  at: number
}

/** What the reports that are kept of all accounts weigh, and how many daemons are connected. */
export interface KeptReports {
  weight: number
  daemons: number
}

/** The share of one account on one node. */
export interface AccountShare {
  readonly accountId: string
  readonly all: KeptReports
  /** What all accounts cost this node. */
  readonly node: FairDebts
  /** Its connected daemons. */
  daemons: number
  readonly reports: Tokens
  readonly frames: Tokens
  /** What may be parsed of all of them, in the unit of src/domain/limits/cost.ts. */
  readonly cost: Tokens
  /** The same of results that callers wait for, and that cost much: they take nothing from other frames. */
  readonly resultCost: Tokens
  /** Before that no large report is read. */
  nextLargeAt: number
  /** Bytes of reports that wait for their turn. */
  heldBytes: number
  /** What the reports that are kept weigh. */
  kept: number
}

/** An account without a daemon yet. */
export const newShare = (accountId: string, node: FairDebts, all: KeptReports): AccountShare => ({
  accountId,
  all,
  node,
  daemons: 0,
  reports: { left: undefined, at: 0 },
  frames: { left: undefined, at: 0 },
  cost: { left: undefined, at: 0 },
  resultCost: { left: undefined, at: 0 },
  nextLargeAt: 0,
  heldBytes: 0,
  kept: 0
})

/** Fills up what may be taken; a clock that was set back gives nothing. */
const leftOf = (tokens: Tokens, perSecond: number, burst: number, now: number): number => {
  const filled = Math.max(0, now - tokens.at) * (perSecond / 1_000)
  tokens.left = Math.min(burst, (tokens.left ?? burst) + filled)
  tokens.at = now
  return tokens.left
}

const reportRate = ({ daemons }: AccountShare): number =>
  Math.min(reportBytesPerSecondMax, reportBytesPerSecond + daemons * reportBytesPerSecondPerDaemon)

/** How long until a report of so many bytes has its turn, if no other has it before; 0: now. */
export const untilReport = (share: AccountShare, bytes: number, now: number): number => {
  const rate = reportRate(share)
  const lacking = bytes + frameOverheadBytes - leftOf(share.reports, rate, rate * reportBurstSeconds, now)
  // a clock that was set back makes nobody wait longer
  const pause = bytes < largeFrameBytes ? 0 : Math.min(largeReportMillis, share.nextLargeAt - now)
  const cost = Math.max(untilCost(share, reportCostReserve, now), share.node.wait(share.accountId, reportCostReserve))
  return Math.max(0, Math.ceil((lacking * 1_000) / rate), pause, cost)
}

const costRate = ({ daemons }: AccountShare): number =>
  Math.min(accountCostPerSecondMax, accountCostPerSecond + daemons * accountCostPerSecondPerDaemon)

/** How long until more than this part of a burst may be parsed; 0: now. */
const untilCost = (share: AccountShare, reserve: number, now: number): number => {
  const rate = costRate(share)
  const burst = rate * accountCostBurstSeconds
  return Math.max(0, Math.ceil(((burst * reserve - leftOf(share.cost, rate, burst, now)) * 1_000) / rate))
}

/** Whether its node has room for what parsing costs; nothing is taken. */
export const nodeHasRoom = ({ node, accountId }: AccountShare, cost: number): boolean => node.has(accountId, cost)

/**
 * Takes what parsing costs where so much is left, of the account's and the node's, and this part of both behind it;
 * false, and nothing is taken, where it is not.
 */
export const takeCost = (share: AccountShare, cost: number, reserve: number, now: number): boolean =>
  takeOf(share.cost, share, cost, reserve, now)

/** Takes what parsing a result costs that a caller waits for; false, and nothing is taken, where less is left. */
export const takeResultCost = (share: AccountShare, cost: number, now: number): boolean =>
  takeOf(share.resultCost, share, cost, 0, now)

const takeOf = (tokens: Tokens, share: AccountShare, cost: number, reserve: number, now: number): boolean => {
  const rate = costRate(share)
  const burst = rate * accountCostBurstSeconds
  const left = leftOf(tokens, rate, burst, now) - cost
  if (left < burst * reserve || !share.node.take(share.accountId, cost, reserve)) return false
  tokens.left = left
  return true
}

/** Takes what was, or must be, parsed in any case: what comes next waits for it, a burst's worth at most. */
export const oweCost = (share: AccountShare, cost: number, now: number): void => {
  const rate = costRate(share)
  const burst = rate * accountCostBurstSeconds
  share.cost.left = Math.max(-burst, leftOf(share.cost, rate, burst, now) - cost)
  oweNode(share, cost)
}

/** The same of what costs the account nothing. */
export const oweNode = ({ node, accountId }: AccountShare, cost: number): void => node.owe(accountId, cost)

/** Takes the turn of a report whose turn it is. */
export const takeReport = (share: AccountShare, bytes: number, now: number): void => {
  share.reports.left = (share.reports.left ?? 0) - bytes - frameOverheadBytes
  if (bytes >= largeFrameBytes) share.nextLargeAt = now + largeReportMillis
}

/** Takes what telling of so many questions is that began or ended with a report: the reports behind it wait for it. */
export const takeQuestions = (share: AccountShare, count: number, now: number): void => {
  const rate = reportRate(share)
  share.reports.left = leftOf(share.reports, rate, rate * reportBurstSeconds, now) - count * toldQuestionBytes
  oweNode(share, count * toldQuestionCost)
}

/** Takes what an `auth` cost, which is read already: the reports wait for it, a burst's worth at most. */
export const takeAuth = (share: AccountShare, bytes: number, cost: number, now: number): void => {
  const rate = reportRate(share)
  const burst = rate * reportBurstSeconds
  const left = leftOf(share.reports, rate, burst, now) - bytes - frameOverheadBytes
  share.reports.left = Math.max(-burst, left)
  oweCost(share, cost, now)
}

/** Takes what another frame costs; false where it is one too many. */
export const takeFrame = (share: AccountShare, bytes: number, now: number): boolean => {
  const given = accountFrameBytesPerSecond + share.daemons * accountFrameBytesPerSecondPerDaemon
  const rate = Math.min(accountFrameBytesPerSecondMax, given)
  const left = leftOf(share.frames, rate, rate * accountFrameBurstSeconds, now) - bytes - frameOverheadBytes
  if (left < 0) return false
  share.frames.left = left
  return true
}

/** Whether a report of so many bytes may wait for its turn, in place of one of so many. */
export const mayHold = ({ daemons, heldBytes }: AccountShare, bytes: number, instead: number): boolean =>
  heldBytes - instead + bytes <= heldReportBytesMax + daemons * heldReportBytesPerDaemon

/** So many daemons are connected more, or fewer with a minus, whose reports weigh so much. */
export const addDaemons = (share: AccountShare, count: 1 | -1, weight: number): void => {
  share.daemons += count
  share.all.daemons += count
  addKept(share, weight)
}

/** What is kept weighs so much more. */
export const addKept = (share: AccountShare, weight: number): void => {
  share.kept += weight
  share.all.weight += weight
}

/**
 * Whether a report of such a weight may be kept, in place of one of such a weight: beyond what each daemon adds, an
 * account has a part of what all leave free at most.
 */
export const mayKeep = ({ all, daemons, kept }: AccountShare, weight: number, instead: number): boolean => {
  const free = keptReportsAllMax + all.daemons * keptReportsPerDaemon - all.weight + instead - weight
  const beyond = Math.min(keptReportsMax, Math.max(0, free) * shareOfFree)
  return kept - instead + weight <= beyond + daemons * keptReportsPerDaemon
}

// a snapshot outlives the connection that it came over, and so does its weight
const weights = new WeakMap<Snapshot["sessions"], number>()

/** Notes what the report of a snapshot weighs. */
export const weigh = ({ sessions }: Snapshot, weight: number): void => void weights.set(sessions, weight)

/** What the report of a snapshot weighs, as far as it came to this node. */
export const weightKept = ({ sessions }: Snapshot): number => weights.get(sessions) ?? 0

/**
 * What a snapshot weighs before its connection reports: the report of an earlier one, if it came to this node, and its
 * own lists.
 */
export const weightOnArrival = (snapshot: Snapshot): number => {
  const { availableProviders, workspaces } = snapshot
  let chars = 0
  for (const { type, category, displayName } of availableProviders) {
    chars += type.length + category.length + (displayName?.length ?? 0)
  }
  for (const { name, path } of workspaces) chars += name.length + (path?.length ?? 0)
  const containers = availableProviders.length + workspaces.length
  const values = 7 * availableProviders.length + 5 * workspaces.length
  return weightKept(snapshot) + costOf(chars, { depth: 2, values, names: 0, containers, digits: 0 })
}
