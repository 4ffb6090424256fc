/** The principal of a request that needs no credential. Owns that one value; real principals come from the keyring. */
import type { Principal } from "../src/domain/principal.ts"

/** Nobody: no account, no scope, a session that ended long ago. */
export const nobody: Principal = {
  accountId: "",
  plan: "free",
  admin: false,
  scopes: new Set<never>(),
  credential: { kind: "session", sessionId: "", expiresAt: 0 }
}

const scheme = /^Bearer +([^\s]+)$/iu

/** The credential of an Authorization header: undefined when there is no header, "" when it is no usable bearer. */
export const bearerOf = (header: string): string | undefined =>
  header === "" ? undefined : (scheme.exec(header)?.[1] ?? "")
