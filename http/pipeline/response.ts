/**
 * What a route returns instead of plain JSON: another status, headers, bytes, a stream, a command that it sends. Owns
 * these values; native/native-exchange.ts writes them.
 */
import type { Effect } from "effect"
import type { Principal } from "../../src/domain/account/principal.ts"
import type { CommandType } from "../../src/protocol/frames.ts"
import type { FileBody } from "./file-body.ts"

/** Header names and values, in order. */
export type Headers = ReadonlyArray<readonly [name: string, value: string]>

const lineBreak = /[\r\n\0]/u

/** Headers as text to append to a response head. A value with a line break is left out: it would inject headers. */
export const headOf = (headers: Headers): string => {
  let head = ""
  for (const [name, value] of headers) if (!lineBreak.test(value)) head += `\r\n${name}: ${value}`
  return head
}

/**
 * What an answer says where its route says nothing else: neither browser nor proxy keeps it, and a browser that is sent
 * to it by itself shows it as no page, in no frame, and names it to no other site.
 */
const usualHeaders: Headers = [
  ["cache-control", "no-store"],
  [
    "content-security-policy",
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
  ],
  ["referrer-policy", "no-referrer"]
]

/** Headers as they are sent: as text, and as bytes, which are copied into a head several times as fast. */
export class Head {
  readonly text: string
  #bytes: Uint8Array | undefined

  constructor(text: string) {
    this.text = text
  }

  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(this.text)
    return this.#bytes
  }
}

/** The headers of an answer, with the usual ones that are not among them. */
export const wholeHeadOf = (headers: Headers): Head => {
  const usual = usualHeaders.filter(([usual]) => !headers.some(([name]) => name.toLowerCase() === usual))
  return new Head(headOf(headers) + headOf(usual))
}

/** The writing side of an open stream. */
export interface Outlet {
  /**
   * `buffered`: accepted, but the peer reads slowly. `closed`: the peer has disconnected, or exceeded its bound and was
   * cut off.
   */
  readonly write: (text: string) => "sent" | "buffered" | "closed"
  /** Bytes that the peer has not read yet. */
  readonly buffered: () => number
  /** Ends the answer. */
  readonly end: () => void
}

/** A whole answer. `body` undefined: no body. */
export class Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string | Uint8Array | FileBody | undefined
  /** Called once, when no byte of the body is needed any more; undefined: nothing waits for it. */
  readonly release: (() => void) | undefined
  #head: Head | undefined

  /** `head`: the headers as they are sent, where the caller has them already. */
  constructor(
    status: number,
    headers: Headers,
    body: string | Uint8Array | FileBody | undefined,
    head?: Head,
    release?: () => void
  ) {
    this.status = status
    this.headers = headers
    this.body = body
    this.release = release
    this.#head = head
  }

  /** Its headers as they are sent; cached, because some answers are sent many times. */
  get head(): Head {
    this.#head ??= wholeHeadOf(this.headers)
    return this.#head
  }
}

/** A streamed answer: `run` writes until it ends; a disconnect interrupts it. */
export class Streaming {
  readonly headers: Headers
  readonly run: (outlet: Outlet) => Effect.Effect<void>
  constructor(headers: Headers, run: (outlet: Outlet) => Effect.Effect<void>) {
    this.headers = headers
    this.run = run
  }
}

/** A command, as far as the audit log names it. */
export interface SentCommand {
  readonly type: CommandType
  readonly daemonId: string
  readonly payload?: unknown
}

/** A command that the call sends now: it is known of the call before `answer` sends it, however that ends. */
export class Sending<A, E> {
  readonly command: SentCommand
  readonly answer: Effect.Effect<A, E>
  /** Who acts, where the guard could not know: the call came with no credential but a token for this one command. */
  readonly by: Principal | undefined
  constructor({ type, daemonId, payload }: SentCommand, answer: Effect.Effect<A, E>, by?: Principal) {
    this.command = { type, daemonId, payload }
    this.answer = answer
    this.by = by
  }
}

const jsonHeaders: Headers = [["content-type", "application/json"]]
const jsonHead = wholeHeadOf(jsonHeaders)
const jsonAnswer = (status: number, headers: Headers, body: string | Uint8Array, release?: () => void): Answer =>
  headers.length === 0
    ? new Answer(status, jsonHeaders, body, jsonHead, release)
    : new Answer(status, [...jsonHeaders, ...headers], body, undefined, release)

/** JSON with a status of its own. */
export const json = (status: number, value: unknown, headers: Headers = []): Answer =>
  jsonAnswer(status, headers, JSON.stringify(value))

/** Text that is JSON already. */
export const jsonText = (text: string, status = 200): Answer => jsonAnswer(status, [], text)

/** JSON as bytes, for an answer that is sent many times or is large. */
export const jsonBytes = (bytes: Uint8Array, headers: Headers = [], release?: () => void): Answer =>
  jsonAnswer(200, headers, bytes, release)

/** Memoizes a function of an immutable object. An entry is collected with its object. */
export const memoize = <K extends object, A>(make: (of: K) => A): ((of: K) => A) => {
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

/** An answer without a body. */
export const emptyAnswer = (status: number, headers: Headers = []): Answer => new Answer(status, headers, undefined)

/** Whether a call with this answer costs nothing of the quota. */
export const isRefunded = (answer: Answer): boolean =>
  answer.status === 304 ||
  answer.status >= 500 ||
  answer.headers.some(([name]) => name.toLowerCase() === "idempotency-replayed")
