/**
 * The roles of an account's members: their order, and the scopes of each. Owns that table; decides no call
 * (http/pipeline/guard.ts) and changes no membership (src/store/accounts/members.ts).
 */
import { type Scope, scopes, sessionScopes } from "./scopes.ts"

/** Every role, from the least: each may do all that those before it may. */
export const roles = ["viewer", "operator", "admin", "owner"] as const

export type Role = (typeof roles)[number]

/** Whether a role may do what needs this one. */
export const isAtLeast = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least)

const viewing: ReadonlyArray<Scope> = ["ide:read", "agent:read"]
const operating: ReadonlyArray<Scope> = [...viewing, "ide:control", "agent:control", "terminal:exec"]

/** The scopes of each role. `registry:publish` takes an account that may publish as well. */
export const scopesOfRole: Readonly<Record<Role, ReadonlyArray<Scope>>> = {
  viewer: scopes.filter((scope) => viewing.includes(scope)),
  operator: scopes.filter((scope) => operating.includes(scope)),
  admin: scopes,
  owner: scopes
}

/** The least role that has all these scopes. */
export const leastRoleWith = (some: ReadonlyArray<Scope>): Role =>
  roles.find((role) => some.every((scope) => scopesOfRole[role].includes(scope))) ?? "admin"

const setsOf = (granted: ReadonlyArray<Scope>) =>
  Object.fromEntries(
    roles.map((role) => [role, new Set(granted.filter((scope) => scopesOfRole[role].includes(scope)))])
  ) as unknown as Readonly<Record<Role, ReadonlySet<Scope>>>

const ofPublisher = setsOf(scopes)
const ofOther = setsOf(sessionScopes)

/** What the session of a member holds. `publishes`: the account may publish packages. */
export const sessionScopesOf = (role: Role, publishes: boolean): ReadonlySet<Scope> =>
  (publishes ? ofPublisher : ofOther)[role]
