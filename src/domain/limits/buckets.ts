/**
 * One budget for each of many owners: accounts, or addresses where no account is known. Owns which are remembered: who
 * comes back soon has no new one. Waits for nothing and refuses nothing.
 */
import { LRUCache } from "lru-cache"
import { bucketsKeptMax } from "../../limits/cost.ts"
import { entriesAtMost } from "../../runtime/entries-at-most.ts"
import { TokenBucket } from "./token-bucket.ts"

/** The budget of an owner. */
export type Buckets = (owner: string) => TokenBucket

/** Budgets of so much a second and so much at once. `now`: milliseconds of a clock that is never set. */
export const makeBuckets = (perSecond: number, burst: number, now: () => number): Buckets => {
  const byOwner = new LRUCache<string, TokenBucket>(entriesAtMost(bucketsKeptMax))
  return (owner) => {
    const known = byOwner.get(owner)
    if (known !== undefined) return known
    const bucket = new TokenBucket(perSecond, burst, now())
    byOwner.set(owner, bucket)
    return bucket
  }
}
