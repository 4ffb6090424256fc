/** What all exchanges of a server share, and what a route wants of each. Owns the shapes; server.ts fills them. */

import type { Headers, Outlet } from "../pipeline/response.ts"
import type { AddressReader } from "./client-address.ts"
import type { HeldBytes } from "./held-bytes.ts"
import type { Pausable, PausedConnections } from "./paused-connections.ts"
import type { UnreadAnswers } from "./unread-answers.ts"

/** What exchanges share: the reader of addresses, the headers every answer carries, and who is told of the end. */
export interface Exchanges {
  readonly addresses: AddressReader
  /** Headers for every answer to a request of this origin. */
  readonly commonHeaders: (origin: string) => Headers
  /** Whether any origin is known, so that it is worth reading. */
  readonly crossOrigin: boolean
  /** Whether any proxy is trusted, so that forwarded addresses are worth reading. */
  readonly proxied: boolean
  /** Whether the hub drains: each answer then closes its connection. */
  draining: boolean
  /** Streams that are open; a drain ends them. */
  readonly streams: Set<Outlet>
  /** Connections whose request waits. */
  readonly paused: PausedConnections<Pausable>
  /** What bodies under way hold. */
  readonly bodies: HeldBytes
  /** Large answers that wait for their readers. */
  readonly answers: UnreadAnswers
  /** Requests under way, streams among them. */
  live: number
  /** Called when `live` falls to 0. */
  onIdle: () => void
}

/** What a route wants copied beside the usual: each look into native memory costs, so nobody looks for nothing. */
export interface RouteNeeds {
  readonly parameters: number
  /** The names of further headers. */
  readonly headers: ReadonlyArray<string>
  /** The Idempotency-Key, and with it the path. */
  readonly keyed?: boolean
  /** Whether the route takes a body. */
  readonly body?: boolean
  /** The forwarded address also where no proxy is trusted: what was forwarded is not from this machine. */
  readonly forwarded?: boolean
  /** It answers with a stream: its connection is read on, as a paused one does not tell that its reader left. */
  readonly streams?: boolean
}
