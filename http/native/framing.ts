/**
 * Decides by its framing whether a request is served, so that its end is never ambiguous (request smuggling). The
 * library shows no bytes: it hides what follows a header without a name, and parses chunk sizes loosely. So bytes
 * behind an end that is in doubt are never parsed as a request. Owns the decision, and the refusal that closes a
 * connection in its read.
 */
import { invalid, LengthRequired, UnsupportedMediaType, type ValidationFailed } from "../../src/errors.ts"
import type { BodyNeed } from "./exchange-needs.ts"
import type { Framed, Framing } from "./request-head.ts"

/**
 * What to do with a request. `served`: its end is known. `last`: it is served once its read has ended with no byte
 * behind it, and its answer closes the connection. A failure: it is refused, and the rest of the read is discarded.
 */
export type Disposition = "served" | "last" | ValidationFailed | LengthRequired | UnsupportedMediaType

const ambiguousFraming = invalid("", "The request's framing is ambiguous")
const twoCredentials = invalid("Authorization", "is given twice, with different values")
const lengthRequired = new LengthRequired()
const notJson = new UnsupportedMediaType()

/** Methods whose requests have no body unless they say so. */
const bodiless = new Set(["GET", "HEAD", "OPTIONS", "DELETE", "TRACE", "CONNECT"])

/** What to do with a request of this method (in upper case); `body` undefined: its route reads none. */
export const dispositionOf = ({ framing, fault }: Framed, method: string, body: BodyNeed | undefined): Disposition => {
  if (framing === "unclear") return ambiguousFraming
  if (fault === "two credentials") return twoCredentials
  if (fault === "no JSON" && body !== undefined && framing !== "none") return notJson
  switch (framing) {
    case "length":
      return "served"
    case "chunks":
      // a live stream or a download could not end its connection
      return method === "GET" || method === "HEAD" ? lengthRequired : "last"
    case "none":
      if (bodiless.has(method)) return "served"
      return body === "needed" ? lengthRequired : "last"
  }
}

/** The part of a native response that a refusal uses. */
export interface RefusalSink {
  readonly writeStatus: (status: string) => unknown
  readonly writeHeader: (name: string, value: string) => unknown
  readonly close: () => unknown
}

/** The library buffers this many bytes written within a read, and drops them when the connection is closed. */
const writeBufferBytes = 16_384
const blanks = " ".repeat(writeBufferBytes)

/**
 * Answers and closes the connection within the request's own callback. The library then discards the rest of the read;
 * after an answer with only `connection: close` it would run what follows. The blanks behind the body fill the
 * library's buffer, so that the answer is written before the close. `head` contains further headers as text.
 */
export const refuseAndClose = (
  res: RefusalSink,
  status: string,
  requestId: string,
  head: string,
  body: string
): void => {
  const length = Buffer.byteLength(body) + writeBufferBytes
  res.writeStatus(status)
  res.writeHeader(
    "x-request-id",
    `${requestId}${head}\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n${body}${blanks}`
  )
  res.close()
}

/**
 * The end of a chunked body, inside its data. The library parses a chunk size with an extension as a larger size, so
 * that the sender's end arrives as data. Valid JSON never contains a 0 alone between line ends.
 */
const hiddenEnd = /\r\n0+(?:\r\n|[ \t]*;)/u
const hiddenEndCharsMax = 32

/** Looks for a hidden end in the data of a chunked body, also across two pieces. */
export class ChunkWatch {
  #tail = ""

  static of(framing: Framing): ChunkWatch | undefined {
    return framing === "chunks" ? new ChunkWatch() : undefined
  }

  /** Whether the library has parsed the chunk sizes differently from what the sender wrote. */
  misread({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
    const text = this.#tail + Buffer.from(buffer, byteOffset, byteLength).toString("latin1")
    this.#tail = text.slice(-hiddenEndCharsMax)
    return hiddenEnd.test(text)
  }
}
