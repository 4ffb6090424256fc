/**
 * What an endpoint of the contract needs before its action runs, as an annotation on it: `.annotateMerge(access({…}))`.
 * Owns the words; http/pipeline/guard.ts enforces them, and mount.ts refuses a contract with an endpoint that says
 * nothing.
 */
import { Context } from "effect"
import type { Scope } from "../../src/domain/account/scopes.ts"

/** The needs of one endpoint. */
export interface Access {
  /** `public`: no credential is read. `any`: a key or a dashboard session. `session`: a key answers 403. */
  readonly kind: "public" | "any" | "session"
  /** The scope a credential must hold. Absent: any good credential will do. */
  readonly scope?: Scope
  /** Scopes of which a credential must hold one, whichever. */
  readonly anyScope?: ReadonlyArray<Scope>
  /** A login within `HUB_RECENT_LOGIN`; checked before the scope. */
  readonly recent?: true
  /** `false`: a key's call does not count against the monthly quota. */
  readonly quota?: false
  /** `false`: outside the address limit (system routes only). */
  readonly limited?: false
  /** `true`: counted in the window of the auth endpoints too. */
  readonly signIn?: true
  /** `true`: an expired session is told from a bad one (reason TOKEN_EXPIRED, no code). */
  readonly tellsExpired?: true
  /** The bound of the body in bytes; `bodyBytesMax` when absent. */
  readonly bodyBytes?: number
  /** How many calls of it a node works on at once, bodies on their way included; one more is answered 503. */
  readonly concurrency?: number
  /** `true`: members of the body that the contract does not name are refused (400) instead of ignored. */
  readonly exact?: true
  /** `false` on a POST: an Idempotency-Key is ignored. */
  readonly idempotent?: false
  /** Members of the answer that are secrets shown once: never stored for an idempotent replay. */
  readonly secrets?: ReadonlyArray<string>
  /** Its answer is a stream, which stays open. */
  readonly streams?: true
  /** Only for peers on the loopback address; everyone else gets 404. */
  readonly loopback?: true
}

/** The annotation's key. */
export class AccessOf extends Context.Service<AccessOf, Access>()("hub/AccessOf") {}

/** The annotation: `HttpApiEndpoint.get(…).annotateMerge(access({ kind: "any", scope: "ide:read" }))`. */
export const access = (needs: Access): Context.Context<AccessOf> => Context.make(AccessOf, needs)
