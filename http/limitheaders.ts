/**
 * `RateLimit-Policy` and `RateLimit` (IETF draft) from what the guard asked. Owns their syntax; decides nothing. The
 * binding policy (the one that refused, else the fewest calls left) comes first.
 */
import type { Decision } from "../actors/buckets.ts"
import type { QuotaDecision } from "../actors/quota.ts"
import type { Headers } from "./answer.ts"

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
const stateOf = (asked: Asked): string => `"${asked.policy}";r=${asked.remaining};t=${asked.resetSeconds}`

/** The two headers; none when nothing was asked. */
export const limitHeaders = (asked: ReadonlyArray<Asked>): Headers => {
  if (asked.length === 0) return []
  const ordered =
    asked.length === 1
      ? asked
      : [...asked].sort((a, b) => Number(a.admitted) - Number(b.admitted) || a.remaining - b.remaining)
  return [
    ["ratelimit-policy", ordered.map(policyOf).join(", ")],
    ["ratelimit", ordered.map(stateOf).join(", ")]
  ]
}
