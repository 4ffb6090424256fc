/**
 * The bearer credential of an Authorization header, what its form shows to be wrong with it, and the principal of a
 * request without one. Verifies nothing.
 */
import type { Principal } from "../../src/domain/account/principal.ts"

/** No account, no scope, an expired session. */
export const anonymous: Principal = {
  accountId: "",
  role: "viewer",
  plan: "free",
  admin: false,
  scopes: new Set<never>(),
  credential: { kind: "session", sessionId: "", expiresAt: 0 }
}

const usual = "Bearer "
const scheme = /^Bearer +([^\s]+)$/iu
const space = /\s/u

/** The credential of an Authorization header: undefined when there is no header, "" when it is no usable bearer. */
export const bearerOf = (header: string): string | undefined => {
  if (header === "") return undefined
  const rest = header.startsWith(usual) ? header.slice(usual.length) : ""
  return rest !== "" && !space.test(rest) ? rest : (scheme.exec(header)?.[1] ?? "")
}

const ofMcp = "it is good for /mcp alone"
const kinds = [
  ["hubd_", "a daemon's token; this call takes an API key (hub_…) or the token of a dashboard session"],
  ["huba_", `an access token of a connected app; ${ofMcp}`],
  ["hubt_", `an access token of a service account; ${ofMcp}`],
  ["hubr_", "a refresh token; it is good for /oauth/token alone"],
  ["hubj_", "a join key; this call takes an API key (hub_…) or the token of a dashboard session"]
] as const

/** What is wrong with a refused credential, as far as its beginning shows it. `isMcp`: it came to /mcp. */
export const wrongKindOf = (bearer: string, isMcp = false): string | undefined => {
  const kind = kinds.find(([prefix]) => bearer.startsWith(prefix))
  return kind === undefined || (isMcp && kind[1].endsWith(ofMcp)) ? undefined : `This is ${kind[1]}.`
}

/** Why there is no bearer in a header. */
export const noBearer = "Authorization must be `Bearer` with one credential: `Bearer hub_…`."
/** Why a credential joins no machine. */
export const noJoinKey = "This call takes a join key: `Bearer hubj_…`."
