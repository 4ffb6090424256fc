/**
 * What the pipeline needs of one request: its parts and the way to answer it. A request over a socket is
 * native/native-exchange.ts; a call made inside the process is mcp/inner-exchange.ts. Owns the interface only.
 */
import type { CallRecord } from "./call-record.ts"
import type { Body, RequestParts } from "./request-parts.ts"
import type { Answer, Headers, Outlet } from "./response.ts"

/** One request and its one answer. */
export interface RequestExchange extends RequestParts {
  /** As it was asked for, without the query; "" where neither an Idempotency-Key nor the route needs it. */
  readonly path: string
  /** "": none came. */
  readonly idempotencyKey: string
  readonly authorization: string
  /** Its `Accept`; "" without one. */
  readonly accept: string
  /** The requests in progress of the server, which a drain waits for. */
  readonly shared: { live: number; readonly onIdle: () => void }
  /** What an endpoint makes of it; the exchange tells it the end. Undefined: no endpoint has begun. */
  record: CallRecord | undefined
  /** What was given and has no effect; undefined: all has. */
  warnings: ReadonlyArray<string> | undefined
  cancel: (() => void) | undefined
  readonly isOver: boolean
  readonly collect: (bytesMax: number, done: (body: Body) => void) => void
  readonly answer: (answer: Answer, closes?: boolean) => void
  readonly stream: (headers: Headers) => Outlet | undefined
}
