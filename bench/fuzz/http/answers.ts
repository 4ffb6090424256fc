/**
 * Cuts the bytes of a connection into HTTP answers, as they come. Owns the framing of answers; judges none.
 */

/** One answer. */
export interface Answer {
  readonly status: number
  /** By names in lower case; of a repeated one the last. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** Its body does not end by itself: a stream of events. */
  readonly isStream: boolean
}

const headEnd = "\r\n\r\n"
const chunkSize = /^[\da-f]{1,8}$/iu
const statusLine = /^HTTP\/1\.1 (\d{3}) [^\r\n]*$/u
const nothing = Buffer.alloc(0)
const shownBytes = 200
/**
 * What may stand behind an answer that closes its connection: the line end that the hub's writer leaves, and what the
 * library says by itself of the bytes that its caller still sent. A reader takes neither for an answer (RFC 9112, 9.6).
 */
const ignoredBehindClose =
  /^(?:\r\n)?(?:HTTP\/1\.1 (?:400|431|505) [^\r\n]*\r\nconnection: close\r\n\r\n)?(?:<h1>[^\r\n]*)?$/iu

interface Head {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
}

const headOf = (text: string): Head | undefined => {
  const [line = "", ...lines] = text.split("\r\n")
  const status = statusLine.exec(line)?.[1]
  if (status === undefined) return undefined
  const headers = new Map<string, string>()
  for (const one of lines) {
    const colon = one.indexOf(":")
    if (colon <= 0) return undefined
    headers.set(one.slice(0, colon).toLowerCase(), one.slice(colon + 1).trim())
  }
  return { status: Number(status), headers }
}

/** The end of a body in chunks, and what it holds; undefined while it is not whole, "broken" where it is none. */
const readChunks = (
  bytes: Buffer,
  from: number
): { readonly body: string; readonly end: number } | "broken" | undefined => {
  const pieces: Array<Buffer> = []
  let at = from
  for (;;) {
    const line = bytes.indexOf("\r\n", at)
    if (line < 0) return undefined
    const digits = bytes.toString("latin1", at, line)
    if (!chunkSize.test(digits)) return "broken"
    const size = Number.parseInt(digits, 16)
    const end = line + 2 + size + 2
    if (bytes.length < end) return undefined
    if (size === 0) return { body: Buffer.concat(pieces).toString("utf8"), end }
    pieces.push(bytes.subarray(line + 2, line + 2 + size))
    at = end
  }
}

/** Reads one connection. */
export class AnswerReader {
  #rest: Buffer = nothing
  #isBroken = false
  /** An answer said that it is the last. */
  #isOver = false

  /** What came is no HTTP answer. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  /** What came that is no answer and may not stand there, with its first bytes; undefined: nothing. */
  get wrong(): string | undefined {
    const came = (): string => JSON.stringify(this.#rest.toString("latin1", 0, shownBytes))
    if (this.#isBroken) return `what came is no HTTP answer: ${came()}`
    if (!this.#isOver || ignoredBehindClose.test(this.#rest.toString("latin1"))) return undefined
    return `behind an answer that closes its connection came ${came()}`
  }

  /** Bytes of an answer that is not whole. */
  get unread(): number {
    return this.#rest.length
  }

  /** Gives every whole answer to `each`. `isHead`: the next one has no body whatever it says. */
  push(chunk: Buffer, isHead: boolean, each: (answer: Answer) => void): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    while (!this.#isBroken && !this.#isOver && this.#rest.length > 0) {
      const end = this.#rest.indexOf(headEnd)
      if (end < 0) return
      const head = headOf(this.#rest.toString("latin1", 0, end))
      const read = head && this.#body(head, end + headEnd.length, isHead)
      if (head === undefined || read === "broken") {
        this.#isBroken = true
        return
      }
      if (read === undefined) return
      this.#rest = this.#rest.subarray(read.end)
      this.#isOver = !read.isStream && head.headers.get("connection")?.toLowerCase() === "close"
      each({ ...head, body: read.body, isStream: read.isStream })
    }
  }

  #body({ status, headers }: Head, from: number, isHead: boolean) {
    if (headers.get("content-type")?.startsWith("text/event-stream") === true)
      return { body: "", end: this.#rest.length, isStream: true }
    if (isHead || status < 200 || status === 204 || status === 304) return { body: "", end: from, isStream: false }
    if (headers.get("transfer-encoding") === "chunked") {
      const read = readChunks(this.#rest, from)
      return read === undefined || read === "broken" ? read : { ...read, isStream: false }
    }
    const end = from + Number(headers.get("content-length") ?? 0)
    if (this.#rest.length < end) return undefined
    return { body: this.#rest.toString("utf8", from, end), end, isStream: false }
  }
}
