/**
 * Reads one response of HTTP/1.1 from its bytes, however they are cut. Owns the grammar and its bounds: what is no
 * response, or could be read in two ways, throws. Keeps no body, and knows no connection.
 */
import { responseHeadBytesMax, responseLinesMax } from "../limits/delivery.ts"

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
const fieldText = /^[\t\x20-\x7e\x80-\xff]*$/u
const decimal = /^\d{1,15}$/u
const chunkSize = /^([\da-f]{1,8})[\t ]*(?:;|$)/iu
/** What every reader takes as extensions of a chunk. */
const extensions = /^(?:;[\w.-]+(?:=(?:[\w.-]+|"[\w .-]*"))?)*$/u

const lineEnd = "\r\n"
const headEnd = "\r\n\r\n"
const heldBytesMin = 256

const isBlank = (char: string | undefined): boolean => char === " " || char === "\t"

/** Without the blanks at its ends. No pattern: it would try the end from each of thousands of blanks in the middle. */
const trimmed = (text: string): string => {
  let from = 0
  let to = text.length
  while (isBlank(text[from])) from++
  while (to > from && isBlank(text[to - 1])) to--
  return text.slice(from, to)
}

const headerOf = (line: string): readonly [name: string, value: string] => {
  const colon = line.indexOf(":")
  const name = line.slice(0, Math.max(0, colon)).toLowerCase()
  if (!token.test(name) || !fieldText.test(line)) throw new NoResponse("a header is malformed")
  return [name, trimmed(line.slice(colon + 1))]
}

/** Headers that decide where a response ends: a second one joins the first. */
const joinHeader = (headers: Map<string, string>, line: string): void => {
  const [name, value] = headerOf(line)
  const before = headers.get(name)
  // two Retry-After are not one date: the first counts
  if (before === undefined) headers.set(name, value)
  else if (name !== "retry-after") headers.set(name, `${before},${value}`)
}

const wordsOf = (value: string | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : value.split(",").map((word) => trimmed(word).toLowerCase())

/** One response, being read. */
export class HttpResponse {
  private readonly parts: ResponseParts
  private phase: Phase = "head"
  /** Of a head or a line without its end. The room doubles, so that a byte at a time is not copied over and over. */
  private held: Buffer | undefined
  private heldBytes = 0
  /** So many of them hold no end. */
  private searched = 0
  private left = 0
  /** Of informational heads, chunk extensions and trailers. */
  private asideBytes = 0
  private headLines = 0
  private chunksRead = 0
  private persistent = false
  /** More came than it, or another reader could find another end of it. */
  private doubtful = false

  constructor(parts: ResponseParts) {
    this.parts = parts
  }

  /** Whether it is whole. */
  get over(): boolean {
    return this.phase === "over"
  }

  /** Whether its connection may be used again. */
  get reusable(): boolean {
    return this.over && this.persistent && !this.doubtful
  }

  /** Chunks of its body that were begun. */
  get chunks(): number {
    return this.chunksRead
  }

  /** Those, and the lines of its heads. */
  get lines(): number {
    return this.headLines + this.chunksRead
  }

  /** Reads no further, not even what was given already. */
  stop(): void {
    if (this.over) return
    this.phase = "over"
    this.doubtful = true
  }

  /** Reads on; throws `NoResponse`. */
  read(bytes: Buffer): void {
    let rest = this.held === undefined ? bytes : this.hold(this.held, bytes)
    while (rest.length > 0) {
      if (this.phase === "over") {
        this.doubtful = true
        return
      }
      const used = this.step(rest)
      if (used === 0) {
        if (rest.length > responseHeadBytesMax) throw new NoResponse("a line or a head is too long")
        this.searched = rest.length
        if (this.held === undefined) this.hold(Buffer.allocUnsafe(heldBytesMin), rest)
        return
      }
      // what was given of it as a body must not be written over
      this.held = undefined
      this.heldBytes = 0
      this.searched = 0
      rest = rest.subarray(used)
    }
  }

  /** All that is held, with more behind it. */
  private hold(held: Buffer, bytes: Buffer): Buffer {
    const length = this.heldBytes + bytes.length
    let room = held
    if (length > held.length) {
      room = Buffer.allocUnsafe(Math.max(length, held.length * 2))
      held.copy(room, 0, 0, this.heldBytes)
    }
    bytes.copy(room, this.heldBytes)
    this.held = room
    this.heldBytes = length
    return room.subarray(0, length)
  }

  private endOf(rest: Buffer, end: string): number {
    return rest.indexOf(end, Math.max(0, this.searched - end.length + 1), "latin1")
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
    const end = this.endOf(rest, headEnd)
    if (end > responseHeadBytesMax) throw new NoResponse("a head is too long")
    if (end < 0) return 0
    const text = rest.toString("latin1", 0, end)
    const statusEnd = text.indexOf(lineEnd)
    const first = statusEnd < 0 ? text : text.slice(0, statusEnd)
    const fields = statusEnd < 0 ? "" : text.slice(statusEnd + lineEnd.length)
    // a folded line goes on with the one before
    const folded = /\r\n[\t ]/u.test(fields)
    if (folded) this.doubtful = true
    const unfolded = folded ? fields.replaceAll(/\r\n[\t ]+/gu, " ") : fields
    const lines = unfolded === "" ? [] : unfolded.split(lineEnd)
    this.addLines(lines.length)
    const [, minor, code] = statusLine.exec(first) ?? []
    if (code === undefined || !fieldText.test(first)) throw new NoResponse("it does not begin as a response")
    const headers = new Map<string, string>()
    for (const line of lines) joinHeader(headers, line)
    const status = Number(code)
    if (status === 101) throw new NoResponse("no request asked for another protocol")
    const connection = wordsOf(headers.get("connection"))
    this.persistent = minor === "1" ? !connection.includes("close") : connection.includes("keep-alive")
    if (status >= 200) this.frame(status, headers)
    else {
      this.setAside(end)
      // a hint on a connection that ends with it
      if (!this.persistent) this.doubtful = true
    }
    this.parts.head(status, (name) => headers.get(name))
    return end + headEnd.length
  }

  private frame(status: number, headers: ReadonlyMap<string, string>): void {
    const length = headers.get("content-length")
    const codings = headers.get("transfer-encoding")
    if (length !== undefined && (codings !== undefined || !decimal.test(length)))
      throw new NoResponse("its length can be read in two ways")
    if (status === 204 || status === 304) {
      // a body that must not be, and may yet come
      if (codings !== undefined || (status === 204 && Number(length ?? 0) > 0)) this.doubtful = true
      this.phase = "over"
    } else if (length !== undefined) {
      this.left = Number(length)
      this.phase = this.left === 0 ? "over" : "length"
    } else if (wordsOf(codings).at(-1) === "chunked") this.phase = "chunk size"
    else {
      this.persistent = false
      this.phase = "until closed"
    }
  }

  private readLine(rest: Buffer): number {
    const end = this.endOf(rest, lineEnd)
    if (end > responseHeadBytesMax) throw new NoResponse("a line is too long")
    if (end < 0) return 0
    const used = end + lineEnd.length
    if (this.phase === "chunk end") {
      if (end !== 0) throw new NoResponse("a chunk is longer than it said")
      this.phase = "chunk size"
    } else if (this.phase === "trailers") {
      this.setAside(used)
      this.addLines(1)
      if (end === 0) this.phase = "over"
      else headerOf(rest.toString("latin1", 0, end))
    } else {
      this.chunksRead++
      const line = rest.toString("latin1", 0, end)
      const [, size] = chunkSize.exec(line) ?? []
      if (size === undefined || !fieldText.test(line)) throw new NoResponse("a chunk has no size")
      this.setAside(end - size.length)
      if (!extensions.test(line.slice(size.length))) this.doubtful = true
      this.left = Number.parseInt(size, 16)
      this.phase = this.left === 0 ? "trailers" : "chunk"
    }
    return used
  }

  private addLines(lines: number): void {
    this.headLines += lines
    if (this.headLines > responseLinesMax) throw new NoResponse("it has too many headers")
  }

  private setAside(bytes: number): void {
    this.asideBytes += bytes
    if (this.asideBytes > responseHeadBytesMax) throw new NoResponse("what stands beside its body is too long")
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
