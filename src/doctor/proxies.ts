/**
 * Whether the proxies before a hub are those it trusts: one that is not makes all its callers one address, and too wide
 * a trust lets each caller choose its own. Owns the judgement; src/runtime/proxies-seen.ts keeps who came.
 */
import type { ProxySeen } from "../runtime/proxies-seen.ts"
import { error, type Finding, ok, skipped, warning } from "./finding.ts"

const check = "proxies"

const listed = (seen: ReadonlyArray<ProxySeen>): string => seen.map(({ address }) => address).join(", ")

/** `seen`: by the hub that runs; undefined: none does. */
export const judgeProxies = (trusted: ReadonlyArray<string>, seen: ReadonlyArray<ProxySeen> | undefined): Finding => {
  const all = trusted.filter((range) => range.endsWith("/0"))
  if (all.length > 0)
    return error(
      check,
      `HUB_TRUSTED_PROXIES trusts ${all.join(" and ")}: each caller chooses its own address, and so passes every limit per address`,
      "name the ranges of your proxies only"
    )
  const trusts = trusted.length === 0 ? "no proxy is trusted" : `trusted: ${trusted.join(", ")}`
  if (seen === undefined) return skipped(check, `${trusts}; no hub runs here that could say which it sees`)
  const strange = seen.filter((one) => !one.trusted)
  if (strange.length > 0)
    return warning(
      check,
      `requests with X-Forwarded-For come from ${listed(strange)}, which HUB_TRUSTED_PROXIES does not name: all callers behind it count as one address`,
      "if that is your proxy, add its range to HUB_TRUSTED_PROXIES; if not, nothing: the header is not believed"
    )
  return ok(check, `${trusts}; ${seen.length === 0 ? "none seen since the start" : `seen: ${listed(seen)}`}`)
}
