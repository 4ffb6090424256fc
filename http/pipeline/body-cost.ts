/**
 * Charges callers for what their bodies cost to parse beyond their bytes: a small body of many values takes longer than
 * a large text. Owns these budgets; decode.ts bounds a single body.
 */
import type { Principal } from "../../src/domain/account/principal.ts"
import { makeBuckets } from "../../src/domain/limits/buckets.ts"
import { costOf } from "../../src/domain/limits/cost.ts"
import type { FairDebts } from "../../src/domain/limits/fair-debts.ts"
import { RateLimited } from "../../src/errors.ts"
import {
  bodyCostBurst,
  bodyCostPerSecond,
  bodyScanCostMax,
  freeTextChars,
  nodeCostPerSecond
} from "../../src/limits/cost.ts"
import { bodyExtent } from "./body-extent.ts"
import type { ClientAddress, WholeBody } from "./request-parts.ts"

/**
 * Charges for a body before it is parsed, by account or, where none is known, address; that is read only then, since it
 * is a system call. A refusal: it is too dear.
 */
export type BodyCost = (
  body: WholeBody,
  principal: Pick<Principal, "accountId">,
  caller: { readonly client: Pick<ClientAddress, "bucket"> }
) => RateLimited | undefined

/** Builds it. `now`: milliseconds of a clock that is never set. `node`: what all accounts cost this node. */
export const makeBodyCost = (now: () => number, node: FairDebts): BodyCost => {
  const buckets = makeBuckets(bodyCostPerSecond, bodyCostBurst, now)
  return (body, { accountId }, caller) => {
    const chars = body.text.length
    if (chars <= freeTextChars) return undefined
    const bucket = buckets(accountId === "" ? caller.client.bucket : accountId)
    // what one is refused for is found by a scan: it is paid for too, and not made for who has nothing left
    const scan = Math.min(chars, bodyScanCostMax)
    const spent = { limit: bodyCostPerSecond, retryAfter: 1 }
    if (!bucket.has(scan, now())) return new RateLimited(spent)
    if (!node.has(accountId, 0)) return new RateLimited({ limit: nodeCostPerSecond, retryAfter: 1 })
    // bytes have bounds of their own (src/limits/edge.ts)
    // one that is dearer still is taken after a quiet time, as any other
    const cost = Math.min(bodyCostBurst, costOf(0, bodyExtent(body)))
    // strangers are one of those who share the node: one with many addresses would else be many, and slow every account
    if (!node.has(accountId, cost)) {
      bucket.take(scan, now())
      return new RateLimited({ limit: nodeCostPerSecond, retryAfter: 1 })
    }
    if (!bucket.take(cost, now())) {
      bucket.take(scan, now())
      return new RateLimited({ ...spent, retryAfter: Math.ceil(cost / bodyCostPerSecond) })
    }
    node.owe(accountId, cost)
    return undefined
  }
}
