/**
 * One node's view of one account's month: the calls it still holds, and those it has not written yet. Owns the
 * arithmetic of taking, giving back and counting, not how large a block is. Pure: knows no store and no clock.
 */

/** One account's month on one node. */
export interface Allowance {
  readonly accountId: string
  readonly month: string
  /** Infinity on a plan without a limit. */
  limit: number
  /** Calls this node may still serve without asking. */
  left: number
  /** Calls served (refunds taken off) since the last write. */
  unsaved: number
  /** Calls of the write that is under way: in the store, or not yet. */
  writing: number
  /** Writes begun and ended: odd while one is under way. */
  writes: number
  /** Calls written, of all nodes, as of the last answer of the store. */
  saved: number
  /** The most that was read as written while a write is under way, whose answer may be older. */
  readMeanwhile: number
  /** Calls that other nodes hold, as of the last answer. */
  elsewhere: number
  /** Blocks leased so far. */
  leases: number
  /** When it was last taken from or refunded. */
  usedAt: number
}

/** A month nothing is known of yet. */
export const makeAllowance = (accountId: string, month: string, limit: number, now: number): Allowance => ({
  accountId,
  month,
  limit,
  left: 0,
  unsaved: 0,
  writing: 0,
  writes: 0,
  saved: 0,
  readMeanwhile: 0,
  elsewhere: 0,
  leases: 0,
  usedAt: now
})

/** Serves one call from what is held; false when nothing is. */
export const takeOne = (allowance: Allowance, now: number): boolean => {
  if (Number.isFinite(allowance.limit)) {
    if (allowance.left <= 0) return false
    allowance.left--
  }
  allowance.unsaved++
  allowance.usedAt = now
  return true
}

/** Returns one served call to the block. */
export const giveBack = (allowance: Allowance, now: number): void => {
  allowance.unsaved--
  if (Number.isFinite(allowance.limit)) allowance.left++
  allowance.usedAt = now
}

/** Calls served as far as this node knows. */
export const usedIn = (allowance: Allowance): number =>
  Math.max(0, allowance.saved + allowance.writing + allowance.unsaved)

/**
 * Calls served, when the store reports this many as written: asked for when `writes` was so. What is read while a write
 * is under way may hold its calls or not, so then what this node knows counts.
 */
export const usedWith = (allowance: Allowance, stored: number, writesThen: number): number => {
  if (allowance.writes === writesThen && writesThen % 2 === 0) {
    allowance.saved = Math.max(allowance.saved, stored)
    return usedIn(allowance)
  }
  // never asked for a block: nothing is known of what others wrote
  if (allowance.leases > 0) return usedIn(allowance)
  allowance.readMeanwhile = Math.max(allowance.readMeanwhile, stored)
  return Math.max(usedIn(allowance), stored + allowance.unsaved)
}
