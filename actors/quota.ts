/**
 * The monthly quota of each account, by calendar month UTC. Owns the blocks leased from the store and the counting in
 * batches; never decides which requests count (http/guard.ts does).
 */
import { Context, type Effect } from "effect"
import type { Plan } from "../src/domain/plans.ts"
import type { StoreFailed } from "../src/errors.ts"

/** What the quota answers. `limit` and `remaining` are Infinity on a plan without one. */
export interface QuotaDecision {
  readonly admitted: boolean
  readonly policy: "month"
  readonly limit: number
  readonly used: number
  readonly remaining: number
  /** To the first of next month, UTC. */
  readonly resetSeconds: number
  /** 0 when admitted. */
  readonly retryAfter: number
  /** The month the call was counted in (`2026-01`); a refund names it. */
  readonly month: string
}

/** The quota. */
export class Quota extends Context.Service<
  Quota,
  {
    /** Counts one call if the plan still allows it. */
    readonly take: (accountId: string, plan: Plan) => Effect.Effect<QuotaDecision, StoreFailed>
    /** The same at once, when a block is at hand; undefined when the store must be asked. For the hot path. */
    readonly takeNow: (accountId: string, plan: Plan) => QuotaDecision | undefined
    /** Gives one call back, for what ended in 304 or 5xx. `month` is the decision's. */
    readonly refund: (accountId: string, month: string) => void
    /** What the limiter sees, without counting. */
    readonly seen: (accountId: string, plan: Plan) => Effect.Effect<QuotaDecision, StoreFailed>
  }
>()("hub/Quota") {}
