/**
 * What the logs of one account may cost a node. Owns the budgets, which outlive the streams: who closes one and opens
 * another has no new one. Reads nothing and waits for nothing.
 */
import { LRUCache } from "lru-cache"
import { TokenBucket } from "../../src/domain/limits/token-bucket.ts"
import {
  logAccountsMax,
  logFanOutBurstBytes,
  logFanOutBytesPerSecond,
  logPageCostBurst,
  logPageCostPerSecond
} from "../../src/limits/logs.ts"

/** The budgets of one account. */
export interface LogBudgets {
  /** Bytes that are given to readers as they happen. */
  readonly fanOut: TokenBucket
  /** What pages cost to parse (src/domain/limits/cost.ts). */
  readonly pages: TokenBucket
}

/** The budgets of all accounts. `now`: milliseconds of a clock that is never set. */
export const makeLogBudgets = (now: () => number): ((accountId: string) => LogBudgets) => {
  const byAccount = new LRUCache<string, LogBudgets>({ max: logAccountsMax })
  return (accountId) => {
    const known = byAccount.get(accountId)
    if (known !== undefined) return known
    const budgets = {
      fanOut: new TokenBucket(logFanOutBytesPerSecond, logFanOutBurstBytes, now()),
      pages: new TokenBucket(logPageCostPerSecond, logPageCostBurst, now())
    }
    byAccount.set(accountId, budgets)
    return budgets
  }
}
