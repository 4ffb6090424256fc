/**
 * Reads one response of HTTP/1.1 from its bytes, however they are cut. Owns the grammar and its bounds: what is no
 * response, or could be read in two ways, throws. Keeps no body, and knows no connection.
 */
import { responseHeadBytesMax } from "../limits/delivery.ts"

/** The bytes are no response. */
export class NoResponse extends Error {
  readonly code = "HUB_NO_RESPONSE"
}

/** What comes of a response. */
export interface ResponseParts {
  /** A head, of an informational answer (1xx) too. */
  readonly head: (status: number, header: (name: string) => string | undefined) => void
  readonly body: (bytes: Buffer) => void
}

type Phase = "head" | "length" | "chunk size" | "chunk" | "chunk end" | "trailers" | "until closed" | "over"

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/u
const token = /^[\w!#$%&'*+.^`|~-]+$/u
const unprintable = /[\0\r\n]/u
const decimal = /^\d{1,15}$/u
const chunkSize = /^[\da-f]{1,8}(?=[;\t ]|$)/iu

const lineEnd = "\r\n"
const headEnd = "\r\n\r\n"

/** Headers that decide where a response ends: a second one joins the first. */
const joinHeader = (headers: Map<string, string>, line: string): void => {
  const colon = line.indexOf(":")
  const name = line.slice(0, Math.max(0, colon)).toLowerCase()
  if (!token.test(name) || unprintable.test(line)) throw new NoResponse("a header is malformed")
  const value = line.slice(colon + 1).trim()
  const before = headers.get(name)
  // two Retry-After are not one date: the first counts
  if (before === undefined) headers.set(name, value)
  else if (name !== "retry-after") headers.set(name, `${before},${value}`)
}

const wordsOf = (value: string | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : value.split(",").map((word) => word.trim().toLowerCase())

/** One response, being read. */
export class HttpResponse {
  private readonly parts: ResponseParts
  private phase: Phase = "head"
  private held: Buffer | undefined
  private left = 0
  private trailerBytes = 0
  private persistent = false
  private extra = false

  constructor(parts: ResponseParts) {
    this.parts = parts
  }

  /** Whether it is whole. */
  get over(): boolean {
    return this.phase === "over"
  }

  /** Whether its connection may be used again. */
  get reusable(): boolean {
    return this.over && this.persistent && !this.extra
  }

  /** Reads on; throws `NoResponse`. */
  read(bytes: Buffer): void {
    let rest = this.held === undefined ? bytes : Buffer.concat([this.held, bytes])
    this.held = undefined
    while (rest.length > 0) {
      if (this.phase === "over") {
        this.extra = true
        return
      }
      const used = this.step(rest)
      if (used === 0) {
        if (rest.length > responseHeadBytesMax) throw new NoResponse("a line or a head is too long")
        this.held = rest
        return
      }
      rest = rest.subarray(used)
    }
  }

  /** The connection has ended: whether that is the end of the response. */
  closed(): boolean {
    if (this.phase === "until closed") this.phase = "over"
    return this.over
  }

  /** How many bytes were used; none: more must come first. */
  private step(rest: Buffer): number {
    switch (this.phase) {
      case "head":
        return this.readHead(rest)
      case "chunk size":
      case "chunk end":
      case "trailers":
        return this.readLine(rest)
      default:
        return this.readBody(rest)
    }
  }

  private readHead(rest: Buffer): number {
    const end = rest.indexOf(headEnd, 0, "latin1")
    if (end > responseHeadBytesMax) throw new NoResponse("a head is too long")
    if (end < 0) return 0
    const text = rest.toString("latin1", 0, end)
    // a folded line goes on with the one before
    const [first, ...lines] = (/\r\n[\t ]/u.test(text) ? text.replaceAll(/\r\n[\t ]+/gu, " ") : text).split(lineEnd)
    const [, minor, code] = statusLine.exec(first!) ?? []
    if (code === undefined) throw new NoResponse("it does not begin as a response")
    const headers = new Map<string, string>()
    for (const line of lines) joinHeader(headers, line)
    const status = Number(code)
    if (status === 101) throw new NoResponse("no request asked for another protocol")
    if (status >= 200) this.frame(status, minor === "1", headers)
    this.parts.head(status, (name) => headers.get(name))
    return end + headEnd.length
  }

  private frame(status: number, persistent: boolean, headers: ReadonlyMap<string, string>): void {
    const connection = wordsOf(headers.get("connection"))
    this.persistent = persistent ? !connection.includes("close") : connection.includes("keep-alive")
    const length = headers.get("content-length")
    const codings = headers.get("transfer-encoding")
    if (length !== undefined && (codings !== undefined || !decimal.test(length)))
      throw new NoResponse("its length can be read in two ways")
    if (status === 204 || status === 304) this.phase = "over"
    else if (length !== undefined) {
      this.left = Number(length)
      this.phase = this.left === 0 ? "over" : "length"
    } else if (wordsOf(codings).at(-1) === "chunked") this.phase = "chunk size"
    else {
      this.persistent = false
      this.phase = "until closed"
    }
  }

  private readLine(rest: Buffer): number {
    const end = rest.indexOf(lineEnd, 0, "latin1")
    if (end > responseHeadBytesMax) throw new NoResponse("a line is too long")
    if (end < 0) return 0
    const used = end + lineEnd.length
    if (this.phase === "chunk end") {
      if (end !== 0) throw new NoResponse("a chunk is longer than it said")
      this.phase = "chunk size"
    } else if (this.phase === "trailers") {
      this.trailerBytes += used
      if (this.trailerBytes > responseHeadBytesMax) throw new NoResponse("its trailers are too long")
      if (end === 0) this.phase = "over"
    } else {
      const [size] = chunkSize.exec(rest.toString("latin1", 0, end)) ?? []
      if (size === undefined) throw new NoResponse("a chunk has no size")
      this.left = Number.parseInt(size, 16)
      this.phase = this.left === 0 ? "trailers" : "chunk"
    }
    return used
  }

  private readBody(rest: Buffer): number {
    if (this.phase === "until closed") {
      this.parts.body(rest)
      return rest.length
    }
    const used = Math.min(this.left, rest.length)
    this.left -= used
    if (this.left === 0) this.phase = this.phase === "chunk" ? "chunk end" : "over"
    this.parts.body(rest.subarray(0, used))
    return used
  }
}
