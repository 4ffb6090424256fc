/**
 * Whether agents can be let in by OAuth, and whether hosted ones reach the hub, by what HUB_PUBLIC_URL says. Owns the
 * judgement; asks no name server and no agent.
 */
import { issuerOf } from "../auth/oauth/issuer.ts"
import type { Settings } from "../config.ts"
import { literalAddress } from "../domain/webhook/webhook-url.ts"
import { addressFilter } from "../outbound/address-filter.ts"
import { type Finding, ok, warning } from "./finding.ts"

const check = "oauth"
const isPublic = addressFilter([])
/** Names that the internet does not resolve. */
const inside = /^[^.]+$|\.(?:localhost|local|internal|lan|home|intranet|test|example|invalid)$/u

/** The finding for these settings. */
export const judgeOAuth = (settings: Pick<Settings, "publicUrl" | "oauthRegistration">): Finding => {
  const issuer = issuerOf(settings)
  if (issuer === undefined)
    return ok(check, "off, since HUB_PUBLIC_URL is no https address: agents come to /mcp with an API key")
  const { hostname, port } = new URL(issuer.issuer)
  const registers = issuer.registers ? "; programs may register themselves" : ""
  const literal = literalAddress(hostname)
  if (literal === undefined ? inside.test(hostname) : !isPublic(literal))
    return warning(
      check,
      `on, but hosted agents (Claude, ChatGPT) do not reach ${hostname}${registers}`,
      "none, where only agents on your own computers are to connect; else give the hub a name that resolves in the internet, in HUB_PUBLIC_URL"
    )
  if (port !== "")
    return warning(
      check,
      `on, but hosted agents (Claude, ChatGPT) reach port 443 only, and HUB_PUBLIC_URL says ${port}${registers}`,
      "none, where only agents on your own computers are to connect; else serve it at port 443"
    )
  return ok(check, `on: agents are let in to ${issuer.resources[0]}${registers}`)
}
