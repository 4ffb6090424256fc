/** Verdicts of the guard, and how each is made of the limits that it asked. Asks no service. */
import type { QuotaDecision } from "../../actors/limits/quota.ts"
import type { Decision } from "../../actors/limits/rate-limits.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { ApiLimitExceeded, type HubError, RateLimited } from "../../src/errors.ts"
import { count } from "../../src/runtime/metrics.ts"
import { anonymous } from "./bearer.ts"

/** The guard's decision, and the limits it checked (for the rate limit headers of the response). */
export interface Verdict {
  readonly failure: HubError | undefined
  readonly principal: Principal
  readonly decisions: ReadonlyArray<Decision | QuotaDecision>
  /** The month that the call was charged to; a 304 or 5xx response refunds it. */
  readonly month: string | undefined
}

export const noDecisions: ReadonlyArray<Decision> = []
/** Of a call that needs no credential and that nothing limits. */
export const publicVerdict: Verdict = {
  failure: undefined,
  principal: anonymous,
  decisions: noDecisions,
  month: undefined
}

/** Refuses, and counts why. */
export const refuse = (failure: HubError, decisions: Verdict["decisions"], principal = anonymous): Verdict => {
  count("hub_refusals_total", failure._tag)
  return { failure, principal, decisions, month: undefined }
}

export const tooMany = (decision: Decision): RateLimited =>
  new RateLimited({ limit: decision.limit, retryAfter: decision.retryAfter })

export const listOf = (decision: Decision): ReadonlyArray<Decision> => [decision]

/** The window that has no room. */
export const fullOf = (decisions: ReadonlyArray<Decision>): Decision | undefined => {
  for (const decision of decisions) if (!decision.admitted) return decision
  return undefined
}

/** Of a caller without a valid credential, whom the address's window decides first. */
export const strangersVerdict = (decision: Decision, failure: HubError | undefined): Verdict => {
  const decisions = [decision]
  if (!decision.admitted) return refuse(tooMany(decision), decisions)
  if (failure !== undefined) return refuse(failure, decisions)
  return { failure: undefined, principal: anonymous, decisions, month: undefined }
}

/** Of a call that the month of its account is asked for last. */
export const verdictOf = (
  principal: Principal,
  decisions: ReadonlyArray<Decision>,
  decision: QuotaDecision
): Verdict => {
  const all = Number.isFinite(decision.limit) ? [...decisions, decision] : decisions
  if (decision.admitted) return { failure: undefined, principal, decisions: all, month: decision.month }
  const { limit, retryAfter } = decision
  return refuse(new ApiLimitExceeded({ limit, plan: principal.plan, retryAfter }), all, principal)
}
