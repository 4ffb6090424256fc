/** What each scope lets a key do, in words. */
import type { Input } from "@hub/client"

/** One permission. */
export type Scope = Input<"keys.create">["scopes"][number]

/** The scopes that an owner gives, in the order in which they are shown. */
export const scopes: ReadonlyArray<{ readonly name: Scope; readonly says: string }> = [
  { name: "ide:read", says: "list daemons and read their state" },
  { name: "ide:control", says: "launch, stop and command them" },
  { name: "agent:read", says: "read chats, sessions and approvals" },
  { name: "agent:control", says: "write to agents and answer them" },
  { name: "terminal:exec", says: "run terminal commands" },
  { name: "webhook:manage", says: "read webhooks and their deliveries" }
]

const publishing = { name: "registry:publish", says: "publish provider packages" } as const

/** Those of them that are named here. */
export const scopesNamed = (names: ReadonlyArray<string>): typeof scopes =>
  [...scopes, publishing].filter(({ name }) => names.includes(name))
