/**
 * Whether this hub gives out tokens for agents, and the addresses by which it is known as the one that does. Owns that
 * rule: only over https, since codes and tokens pass through what an address names. Pure.
 */
import type { Settings } from "../../config.ts"

/** The hub as an authorization server, and what its tokens are good for. */
export interface Issuer {
  /** The public address, without a slash at its end (RFC 8414). */
  readonly issuer: string
  /** The endpoint of agents, at each of its paths, the usual one first (RFC 8707). */
  readonly resources: readonly [string, string]
  /** Whether clients may register themselves (RFC 7591). */
  readonly registers: boolean
}

/** The paths of the endpoint of agents. */
export const mcpPaths = ["/mcp", "/api/v1/mcp"] as const

/** Undefined: there is no OAuth, since HUB_PUBLIC_URL is no https address. */
export const issuerOf = ({
  publicUrl,
  oauthRegistration
}: Pick<Settings, "publicUrl" | "oauthRegistration">): Issuer | undefined => {
  if (publicUrl === undefined || !URL.canParse(publicUrl)) return undefined
  const { protocol, origin, pathname } = new URL(publicUrl)
  if (protocol !== "https:") return undefined
  const issuer = `${origin}${pathname.replace(/\/+$/u, "")}`
  const [first, second] = mcpPaths
  return { issuer, resources: [issuer + first, issuer + second], registers: oauthRegistration === "open" }
}

/** Where the metadata of the endpoint at this path stands (RFC 9728, 3.1). */
export const resourceMetadataPath = (path: (typeof mcpPaths)[number] | ""): string =>
  `/.well-known/oauth-protected-resource${path}`
