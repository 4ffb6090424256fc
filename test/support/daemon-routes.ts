/**
 * Every route that names a daemon or a target on one, and an answer by the byte but for what differs anyway. Asserts
 * nothing.
 */
import type { HubAnswer } from "./hub.ts"

/** A route and what it is called with. */
export interface DaemonRoute {
  readonly method: string
  readonly path: (id: string) => string
  readonly body?: unknown
}

/** A route of a daemon. */
export const daemon = (method: string, tail: string, body?: unknown): DaemonRoute => ({
  method,
  path: (id) => `/api/v1/daemons/${id}/${tail}`,
  body
})
const shortcut = (method: string, tail: string, body?: unknown): DaemonRoute => ({
  method,
  path: (id) => `/api/v1/shortcuts/${id}/${tail}`,
  body
})

/** Those that take the id of a daemon. */
export const daemonRoutes: ReadonlyArray<DaemonRoute> = [
  daemon("GET", "status"),
  daemon("POST", "command", { type: "read_chat", payload: {} }),
  daemon("POST", "command", { type: "read_chat", payload: { targetSessionId: "s1" } }),
  daemon("POST", "terminal", { command: "ls" }),
  daemon("POST", "disconnect"),
  daemon("POST", "revoke"),
  { method: "DELETE", path: (id) => `/api/v1/daemons/${id}` },
  shortcut("POST", "launch", { type: "goose" }),
  shortcut("POST", "stop", { type: "goose" })
]
/** Those that take a target on one. */
export const targetRoutes: ReadonlyArray<DaemonRoute> = [
  shortcut("POST", "chat", { message: "hi" }),
  shortcut("GET", "chat"),
  shortcut("GET", "chat/debug"),
  shortcut("POST", "chat/debug", {}),
  shortcut("POST", "approve", { action: "approve" }),
  shortcut("GET", "status")
]

/** The id is the caller's own, as it was given; its length alone may count in a header. */
const named = /There is no (.+?) .*?( in this account)/su

/** What a caller could tell two answers apart by. */
export const bare = ({ status, headers, text, body }: HubAnswer) => ({
  status,
  text: text.replace(body?.requestId ?? "no request id", "req").replace(named, "There is no $1 …$2"),
  headers: [...headers].filter(
    ([name]) => !["x-request-id", "date", "content-length", "ratelimit", "ratelimit-policy"].includes(name)
  )
})
