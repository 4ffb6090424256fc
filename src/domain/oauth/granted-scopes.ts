/**
 * What an agent may be granted: the scopes of the hub, as a client asks for them and as a person reads them. Owns the
 * words, and what of a request counts. Pure.
 */
import { isScope, type Scope, sessionScopes } from "../account/scopes.ts"

/** The scope by which a client asks to stay connected. It is none of the hub's. */
export const offlineAccess = "offline_access"

const words: Readonly<Record<Scope, string>> = {
  "ide:read": "see your machines, what runs on them and its state",
  "ide:control": "launch, stop and command IDEs and agents on your machines",
  "agent:read": "read your agents' chats, sessions and approvals",
  "agent:control": "write to your agents and answer their approvals in your name",
  "terminal:exec": "run terminal commands on your machines",
  "webhook:manage": "read your webhooks and their deliveries",
  "registry:publish": "publish provider packages"
}

/** Every scope that may be granted, in its order. What publishes packages is for keys alone. */
export const grantableScopes: ReadonlyArray<Scope> = sessionScopes

/** A scope, what it lets an agent do, and whether that only reads. */
export interface ScopeInWords {
  readonly name: Scope
  readonly says: string
  readonly readsOnly: boolean
}

/** The scopes in words, in the order of all. */
export const inWords = (some: ReadonlyArray<Scope>): ReadonlyArray<ScopeInWords> =>
  grantableScopes
    .filter((scope) => some.includes(scope))
    .map((name) => ({ name, says: words[name], readsOnly: name.endsWith(":read") }))

/** What a client asks for. */
export interface AskedScopes {
  readonly scopes: ReadonlyArray<Scope>
  readonly offline: boolean
}

/**
 * Reads the parameter `scope`: what the hub does not know is left out, and none at all asks for everything, since a
 * person chooses. Undefined: it asks for nothing that the hub has.
 */
export const askedScopes = (parameter: string | undefined): AskedScopes | undefined => {
  const names = (parameter ?? "").split(" ").filter((name) => name !== "")
  const offline = names.includes(offlineAccess)
  const named = names.filter((name) => name !== offlineAccess)
  if (named.length === 0) return { scopes: grantableScopes, offline }
  const scopes = grantableScopes.filter((scope) => named.includes(scope))
  return scopes.length === 0 ? undefined : { scopes, offline }
}

/** What an agent has of what it was granted: never more than who granted it may do now. */
export const narrowedTo = (granted: ReadonlyArray<string>, held: ReadonlySet<Scope>): ReadonlyArray<Scope> =>
  granted.filter((scope): scope is Scope => isScope(scope) && held.has(scope))
