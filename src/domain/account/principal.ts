/**
 * The principal that a request acts as. Owns the shape; http/pipeline/guard.ts makes one, everything behind it reads
 * it.
 */
import type { Selector } from "../daemon/selector.ts"
import type { Plan } from "./plans.ts"
import { isAtLeast, type Role } from "./roles.ts"
import type { Scope } from "./scopes.ts"

/** What a request came with. `expiresAt`: epoch milliseconds; absent where it does not expire. */
type Credential =
  | { readonly kind: "key"; readonly keyId: string; readonly expiresAt?: number }
  | GrantCredential
  | SessionCredential

/** What a person granted to an app. It ends with its access token. */
interface GrantCredential {
  readonly kind: "grant"
  readonly grantId: string
  readonly expiresAt: number
}

/** The token that a person got by signing in. */
export interface SessionCredential {
  readonly kind: "session"
  readonly sessionId: string
  /** When the person last signed in, epoch seconds; absent when the token does not say. */
  readonly authTime?: number
  readonly expiresAt: number
  /** The refreshes of its session before it; absent when they are not counted. */
  readonly generation?: number
}

/** The account and the credential behind one request. */
export interface Principal {
  readonly accountId: string
  /** Who acts, also by a key of theirs. Absent: a service account, or a key of the account itself. */
  readonly person?: string
  /** The service account whose key it is. */
  readonly serviceAccount?: string
  /** What who acts may do at most. A key has fewer scopes, maybe. */
  readonly role: Role
  readonly plan: Plan
  readonly admin: boolean
  readonly scopes: ReadonlySet<Scope>
  /** For it there are no other daemons than these. Absent: all of the account. */
  readonly selector?: Selector
  readonly credential: Credential
}

/** The id of the key or grant by which a program calls; undefined: a person calls. */
export const programCredentialOf = ({ credential }: Principal): string | undefined => {
  if (credential.kind === "session") return undefined
  return credential.kind === "key" ? credential.keyId : credential.grantId
}

/** The person or the service account that acts; undefined: the account itself. */
export const ownerOf = ({ person, serviceAccount }: Principal): string | undefined => person ?? serviceAccount

/** Below an administrator a member has to do with their own keys and apps only: this person's; undefined: with all. */
export const ownOnly = ({ role, person = "" }: Principal): string | undefined =>
  isAtLeast(role, "admin") ? undefined : person
