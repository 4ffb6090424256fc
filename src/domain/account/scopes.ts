/** The scopes a credential may carry, as the specification lists them. Owns the closed list; decides nothing. */

/** Every scope, in the order the specification gives them. */
export const scopes = [
  "ide:read",
  "ide:control",
  "agent:read",
  "agent:control",
  "terminal:exec",
  "webhook:manage",
  "registry:publish"
] as const

export type Scope = (typeof scopes)[number]

/** What a dashboard session holds: every scope but `registry:publish`, which takes an administrator. */
export const sessionScopes: ReadonlyArray<Scope> = scopes.filter((scope) => scope !== "registry:publish")

/** Whether a word is a scope. */
export const isScope = (word: string): word is Scope => (scopes as ReadonlyArray<string>).includes(word)
