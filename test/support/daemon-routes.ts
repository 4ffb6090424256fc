/** Every route that names a machine or a target on one, and an answer by the byte but for what differs anyway. Asserts nothing. */
import type { HubAnswer } from "./hub.ts"

/** A route and what it is called with. */
export interface MachineRoute {
  readonly method: string
  readonly path: (id: string) => string
  readonly body?: unknown
}

/** A route of a machine. */
export const machine = (method: string, tail: string, body?: unknown): MachineRoute => ({
  method,
  path: (id) => `/api/v1/daemons/${id}/${tail}`,
  body
})
const shortcut = (method: string, tail: string, body?: unknown): MachineRoute => ({
  method,
  path: (id) => `/api/v1/shortcuts/${id}/${tail}`,
  body
})

/** Those that take the id of a machine. */
export const daemonRoutes: ReadonlyArray<MachineRoute> = [
  machine("GET", "status"),
  machine("POST", "command", { type: "read_chat", payload: {} }),
  machine("POST", "command", { type: "read_chat", payload: { targetSessionId: "s1" } }),
  machine("POST", "terminal", { command: "ls" }),
  machine("POST", "disconnect"),
  machine("POST", "revoke"),
  { method: "DELETE", path: (id) => `/api/v1/daemons/${id}` },
  shortcut("POST", "launch", { type: "goose" }),
  shortcut("POST", "stop", { type: "goose" })
]
/** Those that take a target on one. */
export const targetRoutes: ReadonlyArray<MachineRoute> = [
  shortcut("POST", "chat", { message: "hi" }),
  shortcut("GET", "chat"),
  shortcut("GET", "chat/debug"),
  shortcut("POST", "chat/debug", {}),
  shortcut("POST", "approve", { action: "approve" }),
  shortcut("GET", "status")
]

/** What a caller could tell two answers apart by. */
export const bare = ({ status, headers, text, body }: HubAnswer) => ({
  status,
  text: text.replace(body?.requestId ?? "no request id", "req"),
  headers: [...headers].filter(([name]) => !["x-request-id", "date", "ratelimit", "ratelimit-policy"].includes(name))
})
