/**
 * What a route answers when the contract's plain JSON is not enough: another status, headers, bytes, a stream. Owns the
 * values; exchange.ts writes them.
 */
import type { Effect } from "effect"
import type { FileBody } from "../native/file-body.ts"

/** Header names and values, in order. */
export type Headers = ReadonlyArray<readonly [name: string, value: string]>

const lineBreak = /[\r\n\0]/u

/** Headers as they are written behind another. A value with a line break would be one of somebody else's making. */
export const headOf = (headers: Headers): string => {
  let head = ""
  for (const [name, value] of headers) if (!lineBreak.test(value)) head += `\r\n${name}: ${value}`
  return head
}

/** The writing side of an open stream. */
export interface Outlet {
  /** `buffered`: taken, but the peer reads slowly. `closed`: the peer is gone, or over its bound and was cut off. */
  readonly write: (text: string) => "sent" | "buffered" | "closed"
  /** Bytes that wait for the peer to read. */
  readonly buffered: () => number
  /** Ends the answer. */
  readonly end: () => void
}

/** A whole answer. `body` undefined: no body. */
export class Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string | Uint8Array | FileBody | undefined
  #head: string | undefined

  /** `head`: the headers as they are written, where that is known. */
  constructor(status: number, headers: Headers, body: string | Uint8Array | FileBody | undefined, head?: string) {
    this.status = status
    this.headers = headers
    this.body = body
    this.#head = head
  }

  /** Its headers as they are written; kept, as some answers are given many times. */
  get head(): string {
    this.#head ??= headOf(this.headers)
    return this.#head
  }
}

/** An answer that stays open: `run` writes until it ends, or is interrupted when the peer leaves. */
export class Streaming {
  readonly headers: Headers
  readonly run: (outlet: Outlet) => Effect.Effect<void>
  constructor(headers: Headers, run: (outlet: Outlet) => Effect.Effect<void>) {
    this.headers = headers
    this.run = run
  }
}

const jsonType = ["content-type", "application/json"] as const

/** JSON with a status of its own. */
export const json = (status: number, value: unknown, headers: Headers = []): Answer =>
  new Answer(status, [jsonType, ...headers], JSON.stringify(value))

/** Text that is JSON already. */
export const jsonText = (text: string): Answer => new Answer(200, [jsonType], text)

/** JSON that is going to be sent many times: its bytes are made once. */
export const jsonBytes = (bytes: Uint8Array, headers: Headers = []): Answer =>
  new Answer(200, [jsonType, ...headers], bytes)

/**
 * Answers made of something that never changes, each made once. A lasting thing has a lasting answer; it is forgotten
 * with what it was made of.
 */
export const lasting = <K extends object, A>(make: (of: K) => A): ((of: K) => A) => {
  const made = new WeakMap<K, A>()
  return (of) => {
    let answer = made.get(of)
    if (answer === undefined) {
      answer = make(of)
      made.set(of, answer)
    }
    return answer
  }
}

/** Nothing but a status and headers. */
export const bare = (status: number, headers: Headers = []): Answer => new Answer(status, headers, undefined)
