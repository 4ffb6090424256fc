/**
 * The state that all exchanges of a server share, and what a route needs of each. Owns the types; server.ts fills them.
 */

import type { HeldBytes } from "../../src/domain/limits/held-bytes.ts"
import type { Head, Outlet } from "../pipeline/response.ts"
import type { BodiesPerTurn } from "./bodies-per-turn.ts"
import type { AddressReader } from "./client-address.ts"
import type { Pausable, PausedConnections } from "./paused-connections.ts"
import type { UnreadAnswers } from "./unread-answers.ts"

/** The state that all exchanges of a server share. */
export interface Exchanges {
  readonly addresses: AddressReader
  /** The headers of every answer to a request from this origin. */
  readonly commonHead: (origin: string) => Head
  /** Whether any other origin is allowed; only then is `Origin` read. */
  readonly crossOrigin: boolean
  /** Whether the hub drains: each answer then closes its connection. */
  draining: boolean
  /** Streams that are open; a drain ends them. */
  readonly streams: Set<Outlet>
  /** Connections that are paused while a request of theirs waits. */
  readonly paused: PausedConnections<Pausable>
  /** How much of large bodies each turn of the event loop reads. */
  readonly bodyTurns: BodiesPerTurn<Pausable>
  /** Bytes of partly received bodies. */
  readonly bodies: HeldBytes
  /** Large answers that wait for their readers. */
  readonly answers: UnreadAnswers
  /** Requests in progress, streams included. */
  live: number
  /** Called when `live` falls to 0. */
  onIdle: () => void
}

/** Whether a body must come. */
export type BodyNeed = "needed" | "optional"

/** What a route needs copied beside the common parts: each read of native memory costs time. */
export interface RouteNeeds {
  readonly parameters: number
  /** The names of further headers. */
  readonly headers: ReadonlyArray<string>
  /** The Idempotency-Key and the path. */
  readonly keyed?: boolean
  /** Whether the route needs a body, or takes one; absent: it reads none. */
  readonly body?: BodyNeed | undefined
  /** The path, also without an Idempotency-Key: it may be of any length. */
  readonly path?: boolean
  /** `X-Forwarded-For` also where no proxy is trusted: a forwarded request is not from this host. */
  readonly forwarded?: boolean
  /** The route streams: its connection is not paused, because a paused one reports no disconnect. */
  readonly streams?: boolean
}
