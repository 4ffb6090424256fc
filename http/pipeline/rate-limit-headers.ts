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

/** A part of a head: texts that few calls change, and whole numbers, which the writer of the head makes digits of. */
export type HeadParts = ReadonlyArray<string | number>

/** Of a call that no limit was asked for. */
export const noLimits: HeadParts = []

interface Policy {
  readonly limit: number
  readonly span: number
  readonly text: string
  /** The headers of a call that it alone decides, up to what is left. */
  readonly alone: string
}
const policies = new Map<LimitDecision["policy"], Policy>()

/** The texts of a policy. Of each the last is kept: accounts differ in the limit of their months only. */
const policyOf = (decision: LimitDecision): Policy => {
  const { policy, limit } = decision
  const span = spanOf(decision)
  const known = policies.get(policy)
  if (known !== undefined && known.limit === limit && known.span === span) return known
  const text = `"${policy}";q=${limit};w=${span}`
  const made = { limit, span, text, alone: `\r\nratelimit-policy: ${text}\r\nratelimit: "${policy}";r=` }
  policies.set(policy, made)
  return made
}

/** Both headers in parts, to be written behind one another. The texts contain no line break but those of a head. */
export const rateLimitHead = (decisions: ReadonlyArray<LimitDecision>): HeadParts => {
  const [only] = decisions
  if (only === undefined) return noLimits
  if (decisions.length === 1) return [policyOf(only).alone, only.remaining, ";t=", only.resetSeconds]
  const ordered = [...decisions].sort((a, b) => Number(a.admitted) - Number(b.admitted) || a.remaining - b.remaining)
  const parts: Array<string | number> = ["\r\nratelimit-policy: "]
  for (const one of ordered) parts.push(policyOf(one).text, ", ")
  parts[parts.length - 1] = "\r\nratelimit: "
  for (const one of ordered) parts.push(`"${one.policy}";r=`, one.remaining, ";t=", one.resetSeconds, ", ")
  parts.pop()
  return parts
}
