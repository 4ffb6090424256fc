/**
 * What the pipeline needs of one request: its parts and the way to answer it. A request over a socket is
 * native/exchange.ts; a call made inside the process is mcp/inner-exchange.ts. Owns the interfaces only.
 */
import type { Span } from "../../src/tracing/span.ts"
import type { LoggableRequest } from "./request-logging.ts"
import type { Answer, Headers, Outlet } from "./response.ts"

/** The undecoded parts of a request. */
export interface RequestParts {
  readonly method: string
  readonly parameters: ReadonlyArray<string>
  readonly query: string
  /** The values of the headers that the contract names, in that order. */
  readonly headers: ReadonlyArray<string>
  readonly requestId: string
}

/** The client of one request. */
export interface ClientAddress {
  /** The key of its bucket: the IPv4 address, or the /64 of an IPv6 one. */
  readonly bucket: string
  /** Whether the request comes from this host, and not through a proxy. */
  readonly loopback: boolean
}

/** A collected body, or why there is none. */
export type Body =
  | { readonly kind: "whole"; readonly text: string }
  | { readonly kind: "too large" }
  | { readonly kind: "no room" }
  /** The library has parsed the chunk sizes differently from what the sender wrote. */
  | { readonly kind: "misread" }
  /** It came whole and is no UTF-8. */
  | { readonly kind: "no text" }

/** One request and its one answer. */
export interface RequestExchange extends RequestParts {
  /** As it was asked for, without the query; "" where neither an Idempotency-Key nor the route needs it. */
  readonly path: string
  /** "": none came. */
  readonly idempotencyKey: string
  readonly authorization: string
  /** Its `Accept`; "" without one. */
  readonly accept: string
  readonly client: ClientAddress
  /** The requests in progress of the server, which a drain waits for. */
  readonly shared: { live: number; readonly onIdle: () => void }
  /** The trace context that it came with, as tracing/trace-context.ts reads it; "" without one. */
  readonly trace: string
  /** Its span, where its trace is kept, and the span of the part of it that is under way. */
  span: Span | undefined
  part: Span | undefined
  extraHead: string
  /** What was given and has no effect; undefined: all has. */
  warnings: ReadonlyArray<string> | undefined
  account: string
  /** The key that it came with, once known; "" for a session. */
  keyId: string
  /** On the monotonic clock, in nanoseconds. */
  startedAt: number
  cancel: (() => void) | undefined
  readonly isOver: boolean
  onEnd: (() => void) | undefined
  /** Sees the answer before it is written; undefined when the caller has left before. */
  beforeAnswer: ((answer: Answer | undefined, request: LoggableRequest) => void) | undefined
  readonly collect: (bytesMax: number, done: (body: Body) => void) => void
  readonly answer: (answer: Answer, closes?: boolean) => void
  readonly stream: (headers: Headers) => Outlet | undefined
}
