/**
 * The monthly quota per account, by calendar month UTC. Owns the decision and the refund of a call; quota-ledger.ts
 * owns the leased blocks. A call waits while other nodes hold all free calls, because they return unused blocks soon.
 * Never decides which requests count (http/pipeline/guard.ts does).
 */
import { Clock, Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { monthOf, secondsToNextMonth } from "../../src/domain/account/calendar-month.ts"
import { type Plan, planLimits } from "../../src/domain/account/plans.ts"
import {
  type Allowance,
  giveBack,
  makeAllowance,
  takeOne,
  usedIn,
  usedWith
} from "../../src/domain/account/quota-block.ts"
import type { Overloaded, StoreFailed } from "../../src/errors.ts"
import { quotaAccountsMax, quotaSpentMillis } from "../../src/limits.ts"
import { entriesAtMost } from "../../src/runtime/entries-at-most.ts"
import type { MaybeSync } from "../../src/runtime/maybe-sync.ts"
import { Usage } from "../../src/store/accounts/usage.ts"
import { makeLedger } from "./quota-ledger.ts"

/** The decision. `limit` and `remaining` are Infinity on a plan without a quota. */
export interface QuotaDecision {
  readonly admitted: boolean
  readonly policy: "month"
  readonly limit: number
  readonly used: number
  readonly remaining: number
  /** Seconds until the first of next month, UTC. */
  readonly resetSeconds: number
  /** 0 when admitted. */
  readonly retryAfter: number
  /** The month of the call (`2026-01`), for a refund. */
  readonly month: string
}

export class Quota extends Context.Service<
  Quota,
  {
    /** Counts one call if the plan allows it: at once from a leased block, otherwise the store is asked. */
    readonly take: (accountId: string, plan: Plan) => MaybeSync<QuotaDecision, StoreFailed | Overloaded>
    /** Refunds one call that ended with 304 or 5xx. `month` is that of the decision. */
    readonly refund: (accountId: string, month: string) => void
    /** The current decision, without counting. */
    readonly seen: (accountId: string, plan: Plan) => Effect.Effect<QuotaDecision, StoreFailed>
  }
>()("hub/Quota") {
  /** Among other nodes. */
  static readonly layer = Layer.effect(
    Quota,
    Effect.suspend(() => make(false))
  )

  /** On a node that is the whole hub. */
  static readonly layerAlone = Layer.effect(
    Quota,
    Effect.suspend(() => make(true))
  )
}

const decided = (allowance: Allowance, admitted: boolean, now: number): QuotaDecision => {
  const resetSeconds = secondsToNextMonth(now)
  const used = usedIn(allowance)
  return {
    admitted,
    policy: "month",
    limit: allowance.limit,
    used,
    remaining: Math.max(0, allowance.limit - used),
    resetSeconds,
    retryAfter: admitted ? 0 : resetSeconds,
    month: allowance.month
  }
}

const make = Effect.fnUntraced(function* (alone: boolean) {
  const clock = yield* Clock.Clock
  const store = yield* Usage
  const ledger = yield* makeLedger(store, alone)
  const now = (): number => clock.currentTimeMillisUnsafe()
  // Spent months, for a short time: otherwise each call over the quota would cost a query.
  const spent = new LRUCache<string, number>(entriesAtMost(quotaAccountsMax))

  const spentNow = (allowance: Allowance): boolean => {
    const at = spent.get(allowance.accountId)
    const time = now()
    // a time in the future dates from before the clock was set back
    return at !== undefined && at <= time && time - at < quotaSpentMillis && monthOf(at) === allowance.month
  }

  const takeFromBlock = (accountId: string, plan: Plan): QuotaDecision | undefined => {
    const time = now()
    const allowance = ledger.find(accountId, monthOf(time))
    if (allowance === undefined || allowance.limit !== planLimits[plan].monthlyCalls) return undefined
    if (takeOne(allowance, time)) return decided(allowance, true, time)
    return spentNow(allowance) ? decided(allowance, false, time) : undefined
  }

  const takeFromStore = Effect.fnUntraced(function* (accountId: string, plan: Plan) {
    const allowance = yield* ledger.open(accountId, monthOf(now()), planLimits[plan].monthlyCalls)
    // concurrent calls may use up the granted block first: then this call leases again
    while (!takeOne(allowance, now())) {
      if (yield* ledger.lease(allowance)) continue
      spent.set(accountId, now())
      return decided(allowance, false, now())
    }
    return decided(allowance, true, now())
  })

  const refund = (accountId: string, month: string): void => {
    const allowance = ledger.find(accountId, month)
    if (allowance !== undefined) giveBack(allowance, now())
  }

  const seen = Effect.fnUntraced(function* (accountId: string, plan: Plan) {
    const time = now()
    const month = monthOf(time)
    const limit = planLimits[plan].monthlyCalls
    const known = ledger.find(accountId, month)
    if (known !== undefined && known.limit === limit && ledger.isFresh(known)) return decided(known, true, time)
    const writes = known?.writes ?? 0
    const stored = yield* store.used(accountId, month)
    const used =
      known === undefined ? stored + (ledger.find(accountId, month)?.unsaved ?? 0) : usedWith(known, stored, writes)
    return decided({ ...makeAllowance(accountId, month, limit, time), saved: used }, true, time)
  })

  return Quota.of({
    take: (accountId, plan) => takeFromBlock(accountId, plan) ?? takeFromStore(accountId, plan),
    refund,
    seen
  })
})
