/** What a request brings: its undecoded parts, its client, its body. Owns these types only. */

/** The client of one request. */
export interface ClientAddress {
  /** The key of its bucket: the IPv4 address, or the /64 of an IPv6 one. */
  readonly bucket: string
  /** Whether the request comes from this host, and not through a proxy. */
  readonly loopback: boolean
}

/** The undecoded parts of a request. */
export interface RequestParts {
  readonly method: string
  readonly parameters: ReadonlyArray<string>
  readonly query: string
  /** The values of the headers that the contract names, in that order. */
  readonly headers: ReadonlyArray<string>
  readonly requestId: string
  /** Read it before waiting for anything: after a disconnect it is unknown. */
  readonly client: ClientAddress
  /** The trace context that it came with, as tracing/trace-context.ts reads it; "" without one. */
  readonly trace: string
}

export interface WholeBody {
  readonly kind: "whole"
  readonly text: string
}

/** A collected body, or why there is none. */
export type Body =
  | WholeBody
  | { readonly kind: "too large" }
  | { readonly kind: "no room" }
  /** The library has parsed the chunk sizes differently from what the sender wrote. */
  | { readonly kind: "misread" }
  /** It came whole and is no UTF-8. */
  | { readonly kind: "no text" }
