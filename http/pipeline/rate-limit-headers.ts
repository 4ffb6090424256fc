/**
 * `RateLimit-Policy` and `RateLimit` (IETF draft) from what the guard asked. Owns their syntax; decides nothing. The
 * binding policy (the one that refused, else the fewest calls left) comes first.
 */

import type { QuotaDecision } from "../../actors/limits/quota.ts"
import type { Decision } from "../../actors/limits/rate-limits.ts"

type Asked = Decision | QuotaDecision

let lastMonth = ""
let lastSeconds = 0

/** The length of a month. The last one asked for is remembered: it is asked for with every call. */
const monthSeconds = (month: string): number => {
  if (month !== lastMonth) {
    const [year, number] = month.split("-").map(Number)
    lastSeconds = (Date.UTC(year!, number!) - Date.UTC(year!, number! - 1)) / 1000
    lastMonth = month
  }
  return lastSeconds
}

const spanOf = (asked: Asked): number => (asked.policy === "month" ? monthSeconds(asked.month) : asked.windowSeconds)
const policyOf = (asked: Asked): string => `"${asked.policy}";q=${asked.limit};w=${spanOf(asked)}`
const headers = (policy: string, state: string): string => `\r\nratelimit-policy: ${policy}\r\nratelimit: ${state}`
const stateOf = (asked: Asked): string => `"${asked.policy}";r=${asked.remaining};t=${asked.resetSeconds}`

/**
 * The two headers as they are written behind another; "" when nothing was asked. Figures and our own words hold no line
 * break.
 */
export const limitHead = (asked: ReadonlyArray<Asked>): string => {
  if (asked.length === 0) return ""
  if (asked.length === 1) return headers(policyOf(asked[0]!), stateOf(asked[0]!))
  const ordered = [...asked].sort((a, b) => Number(a.admitted) - Number(b.admitted) || a.remaining - b.remaining)
  return headers(ordered.map(policyOf).join(", "), ordered.map(stateOf).join(", "))
}
