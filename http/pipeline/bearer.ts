/** The bearer credential of an Authorization header, and the principal of a request without one. Verifies nothing. */
import type { Principal } from "../../src/domain/account/principal.ts"

/** No account, no scope, an expired session. */
export const anonymous: Principal = {
  accountId: "",
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
