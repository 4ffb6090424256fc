/**
 * Where a request ends, as far as the hub can know. The library shows no bytes: it hides what stands behind a header
 * without a name, and reads the sizes of chunks loosely. So what may go on behind the end that it saw is never read as
 * a request. Owns what follows from a framing, and the refusal that ends a connection within its read.
 */
import { LengthRequired, ValidationFailed } from "../../src/errors.ts"
import type { Framing } from "./request-head.ts"

/**
 * What becomes of a request. `served`: its end is known. `last`: it is served once its read is over, in which nothing
 * may stand behind it, and its answer ends the connection. Else it is refused, and nothing more of its read is looked
 * at.
 */
export type Disposition = "served" | "last" | ValidationFailed | LengthRequired

const ambiguousFraming = new ValidationFailed({ issues: [{ path: "", message: "The request's framing is ambiguous" }] })
const lengthRequired = new LengthRequired()

/** Methods whose requests have no body unless they say so. */
const bodiless = new Set(["GET", "HEAD", "OPTIONS", "DELETE", "TRACE", "CONNECT"])

/** What becomes of a request of this method (in upper case) to a route that takes a body or none. */
export const dispositionOf = (framing: Framing, method: string, takesBody: boolean): Disposition => {
  switch (framing) {
    case "length":
      return "served"
    case "unclear":
      return ambiguousFraming
    case "chunks":
      // a live stream or a download could not end its connection
      return method === "GET" || method === "HEAD" ? lengthRequired : "last"
    case "none":
      if (bodiless.has(method)) return "served"
      return takesBody ? lengthRequired : "last"
  }
}

/** What refusing needs of the native response. */
export interface RefusalSink {
  readonly writeStatus: (status: string) => unknown
  readonly writeHeader: (name: string, value: string) => unknown
  readonly close: () => unknown
}

/** The library gathers what is written within a read, this many bytes, and loses them when the connection is closed. */
const readBufferBytes = 16_384
const blanks = " ".repeat(readBufferBytes)

/**
 * Answers and closes the connection, within the request's own callback: the library then leaves the rest of the read
 * alone, which after an answer that only asks for the close it would go on to run. The blanks behind the body push the
 * answer out before the close. `head` holds further headers as they are written.
 */
export const refuseAndClose = (
  res: RefusalSink,
  status: string,
  requestId: string,
  head: string,
  body: string
): void => {
  const length = Buffer.byteLength(body) + readBufferBytes
  res.writeStatus(status)
  res.writeHeader(
    "x-request-id",
    `${requestId}${head}\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n${body}${blanks}`
  )
  res.close()
}

/**
 * What a body in chunks never holds: the end of chunks. A size with an extension is read as a larger one, so that the
 * end its sender wrote arrives as data; in JSON a bare 0 between line ends stands for nothing.
 */
const hiddenEnd = /\r\n0+(?:\r\n|[ \t]*;)/u
const hiddenEndCharsMax = 32

/** Looks for a hidden end in the data of a body in chunks, also where it lies in two pieces. */
export class ChunkWatch {
  #tail = ""

  static of(framing: Framing): ChunkWatch | undefined {
    return framing === "chunks" ? new ChunkWatch() : undefined
  }

  /** Whether the sizes were read otherwise than they were written. */
  misread(piece: ArrayBuffer): boolean {
    const text = this.#tail + Buffer.from(piece).toString("latin1")
    this.#tail = text.slice(-hiddenEndCharsMax)
    return hiddenEnd.test(text)
  }
}
