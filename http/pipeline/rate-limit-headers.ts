/**
 * `RateLimit-Policy` and `RateLimit` (IETF draft) from the decisions of the guard. Owns their syntax; decides nothing.
 * The binding policy (the one that refused, else the fewest calls left) comes first.
 */

import type { QuotaDecision } from "../../actors/limits/quota.ts"
import type { Decision } from "../../actors/limits/rate-limits.ts"

type LimitDecision = Decision | QuotaDecision

let lastMonth = ""
let lastSeconds = 0

/** The length of a month. Every call asks for it, so the last one is cached. */
const monthSeconds = (month: string): number => {
  if (month !== lastMonth) {
    const [year, number] = month.split("-").map(Number)
    lastSeconds = (Date.UTC(year!, number!) - Date.UTC(year!, number! - 1)) / 1000
    lastMonth = month
  }
  return lastSeconds
}

const spanOf = (decision: LimitDecision): number =>
  decision.policy === "month" ? monthSeconds(decision.month) : decision.windowSeconds
const policyOf = (decision: LimitDecision): string => `"${decision.policy}";q=${decision.limit};w=${spanOf(decision)}`
const headers = (policy: string, state: string): string => `\r\nratelimit-policy: ${policy}\r\nratelimit: ${state}`
const stateOf = (decision: LimitDecision): string =>
  `"${decision.policy}";r=${decision.remaining};t=${decision.resetSeconds}`

/** Both headers as text to append to a response head; "" without decisions. The values contain no line break. */
export const rateLimitHead = (decisions: ReadonlyArray<LimitDecision>): string => {
  if (decisions.length === 0) return ""
  if (decisions.length === 1) return headers(policyOf(decisions[0]!), stateOf(decisions[0]!))
  const ordered = [...decisions].sort((a, b) => Number(a.admitted) - Number(b.admitted) || a.remaining - b.remaining)
  return headers(ordered.map(policyOf).join(", "), ordered.map(stateOf).join(", "))
}
