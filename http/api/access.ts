/**
 * What an endpoint of the contract requires before its action runs, and how its calls are seen, as an annotation:
 * `.annotateMerge(access({…}))`. Owns the terms. http/pipeline/guard.ts enforces what is required; mount.ts refuses a
 * contract with an endpoint without the annotation.
 */
import { Context } from "effect"
import type { AuditAction } from "../../src/domain/account/audit-event.ts"
import { isAtLeast, leastRoleWith, type Role } from "../../src/domain/account/roles.ts"
import type { Scope } from "../../src/domain/account/scopes.ts"

/** The requirements of one endpoint. */
export interface Access {
  /**
   * `public`: no credential is read. `any`: a key or a dashboard session. `session`: a key answers 403. `joinKey`: the
   * bearer has the form of a join key, which the action looks up; no account is known before.
   */
  readonly kind: "public" | "any" | "session" | "joinKey"
  /** `true`: also for access tokens of connected apps; elsewhere one is no credential at all. */
  readonly agents?: true
  /** The scope that a credential must have. Absent: any valid credential is enough. */
  readonly scope?: Scope
  /** Scopes of which a credential must have at least one. */
  readonly anyScope?: ReadonlyArray<Scope>
  /** The least role of who calls. Absent where none is declared: the least that has the scope. */
  readonly role?: Role
  /** `true`: only for sessions of an administrator's account; others get 403. */
  readonly admin?: true
  /** A login within `HUB_RECENT_LOGIN`; checked before the scope. */
  readonly recent?: true
  /** `false`: a key's call is not charged to the monthly quota. */
  readonly quota?: false
  /** `false`: its calls are not in the request log of their account. */
  readonly logged?: false
  /** `false`: a valid credential is charged nothing here, because what the call leads to is charged in its turn. */
  readonly charged?: false
  /** `false`: exempt from the address limit (system routes, and what is served from memory). */
  readonly limited?: false
  /** `true`: also counted by the limits of the auth endpoints. */
  readonly signIn?: true
  /** `true`: the answer tells an expired session from an invalid one (reason TOKEN_EXPIRED, no code). */
  readonly tellsExpired?: true
  /** `true`: a body is needed, though each of its members may be left out. */
  readonly needsBody?: true
  /** The maximum size of the body in bytes; `bodyBytesMax` when absent. */
  readonly bodyBytes?: number
  /** The maximum of concurrent calls on a node, from before the body arrives; one more is answered 503. */
  readonly concurrency?: number
  /** `false` on a POST: an Idempotency-Key is ignored. */
  readonly idempotent?: false
  /** Members of the answer that are secrets shown once: never stored for an idempotent replay. */
  readonly secrets?: ReadonlyArray<string>
  /** The answer is a stream; the name of the schema of its events' data. */
  readonly streams?: "StreamedEvent" | "LogEvent"
  /**
   * What a caller who hangs up means. `cancel`: the action is interrupted; a command that a daemon has is not.
   * `finish`: the action runs to its end, and a drain waits for it.
   */
  readonly onHangUp: "cancel" | "finish"
  /**
   * The action of the audit log that its changes are, which stores record; a refusal is noted as the same. `false`: it
   * changes nothing of an account that lasts. A read may leave it out.
   */
  readonly audits?: AuditAction | false
  /**
   * What else is noted: `success too`, because it changes no row of the hub; `no refusal`, because its route notes
   * those, which alone knows the account.
   */
  readonly notes?: "success too" | "no refusal"
  /** Its name as a tool of agents, where the contract's own says too little; `false`: an agent has no use for it. */
  readonly tool?: string | false
  /** Only for peers on the loopback address, and for who brings `HUB_METRICS_TOKEN`; others get 404. */
  readonly loopback?: true
}

/** Whether an endpoint honours an Idempotency-Key. */
export const isKeyed = (method: string, { idempotent, kind }: Access): boolean =>
  method === "POST" && idempotent !== false && kind !== "public" && kind !== "joinKey"

export class AccessOf extends Context.Service<AccessOf, Access>()("hub/AccessOf") {}

/**
 * What an endpoint declares: where it reads a credential either the role, or the scopes that its least role follows
 * from. One that says neither does not compile.
 */
export type DeclaredAccess = Access &
  (
    | { readonly kind: "public" | "joinKey" }
    | { readonly role: Role }
    | { readonly scope: Scope }
    | { readonly anyScope: ReadonlyArray<Scope> }
    | { readonly admin: true }
  )

const roleOf = ({ kind, role, scope, anyScope, admin }: Access): Role | undefined => {
  if (role !== undefined || kind === "public" || kind === "joinKey") return role
  if (scope !== undefined) return leastRoleWith([scope])
  if (anyScope !== undefined) return leastOf(anyScope.map((one) => leastRoleWith([one])))
  return admin === true ? "admin" : undefined
}

const leastOf = (some: ReadonlyArray<Role>): Role => some.reduce((one, other) => (isAtLeast(one, other) ? other : one))

/** The annotation: `HttpApiEndpoint.get(…).annotateMerge(access({ kind: "any", scope: "ide:read" }))`. */
export const access = (needs: DeclaredAccess): Context.Context<AccessOf> => {
  const role = roleOf(needs)
  return Context.make(AccessOf, role === undefined ? needs : { ...needs, role })
}
