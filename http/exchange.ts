/**
 * One request and its one answer. Copies everything out of native memory first; an abort gives up the work under way for
 * it; what is answered after the request's own callback goes out with the tick's flush. Owns the native response: nothing
 * else ever touches it, and after the end or an abort nothing does.
 */

import type { HttpRequest, HttpResponse } from "uWebSockets.js"
import { wholeAnswerBytesMax } from "../src/limits.ts"
import { count } from "../src/telemetry.ts"
import type { ClientAddress } from "./address.ts"
import { type Answer, type Headers, headOf, type Outlet } from "./answer.ts"
import { type Body, Collecting, Early } from "./body.ts"
import type { Exchanges, Wants } from "./exchanges.ts"
import { FileBody, sendFile } from "./filebody.ts"
import { flushLater, later, type Writer } from "./flush.ts"
import { ChunkWatch, refuseWithin } from "./framing.ts"
import { type Framing, forwardedOf, idFrom, readHead } from "./head.ts"
import { statusLine } from "./statuses.ts"
import { openOutlet } from "./stream.ts"

const none: ReadonlyArray<string> = []
const departed: ClientAddress = { bucket: "departed", loopback: false }

const bytesOf = (body: string | Uint8Array | FileBody): number =>
  typeof body === "string" ? Buffer.byteLength(body) : body instanceof FileBody ? body.length : body.byteLength

/** An answer that is not sent holds no file open. */
const letGo = (answer: Answer): void => {
  if (answer.body instanceof FileBody) answer.body.close()
}

/** A request, copied, and the way to answer it. */
export class Exchange implements Writer {
  readonly method: string
  /** "" without an Idempotency-Key. */
  readonly path: string
  readonly query: string
  readonly requestId: string
  readonly authorization: string
  readonly framing: Framing
  readonly origin: string
  readonly idempotencyKey: string
  /** The path's parameters, in order, as the path has them. */
  readonly parameters: ReadonlyArray<string>
  /** The headers that were asked for, in that order; "" of one that is not there. */
  readonly headers: ReadonlyArray<string>
  /** Written beside the answer's own headers, as text; the guard's windows go here. */
  extra = ""
  /** Gives up the work that is under way for this exchange; an abort calls it. */
  giveUp: (() => void) | undefined
  /** Whether it is answered or aborted. */
  over = false
  /** Called once, when it is answered or aborted. */
  ended: (() => void) | undefined
  /** Sees the answer before it is written; not called after an abort. */
  beforeAnswer: ((answer: Answer) => void) | undefined
  readonly #res: HttpResponse
  readonly #shared: Exchanges
  readonly #forwarded: string
  #client: ClientAddress | undefined
  #inside = true

  constructor(res: HttpResponse, req: HttpRequest, shared: Exchanges, method: string, wants: Wants) {
    this.#res = res
    this.#shared = shared
    this.method = method
    this.query = req.getQuery() ?? ""
    const keyed = wants.keyed === true
    const head = readHead(req)
    this.requestId = idFrom(head.requestId)
    this.authorization = head.authorization
    this.framing = head.framing
    this.idempotencyKey = keyed ? head.idempotencyKey : ""
    this.path = this.idempotencyKey === "" ? "" : req.getUrl()
    this.origin = shared.crossOrigin ? req.getHeader("origin") : ""
    this.#forwarded = shared.proxied || wants.forwarded === true ? forwardedOf(req) : ""
    const parameters: Array<string> = []
    for (let at = 0; at < wants.parameters; at++) parameters.push(req.getParameter(at) ?? "")
    this.parameters = parameters
    this.headers = wants.headers.length === 0 ? none : wants.headers.map((name) => req.getHeader(name))
    shared.live++
  }

  /**
   * Who asks. Read when it is first wanted, as the look is a system call and most calls with a key never need it; so
   * whoever needs it reads it before it waits for anything: a peer that left can be asked nothing.
   */
  get client(): ClientAddress {
    if (this.#client === undefined) {
      if (this.#settled) return departed
      this.#client = this.#shared.addresses.of(this.#res, this.#forwarded)
    }
    return this.#client
  }

  /** Says that the request's own callback is over: later answers go out with the tick's flush, or find the peer gone. */
  left(): void {
    this.#inside = false
    if (!this.#settled) this.#stay()
  }

  /** Makes ready for an abort. What is answered at once needs no such thing. */
  #stay(): void {
    this.#res.onAborted(() => this.#aborted())
  }

  /** Collects the body, up to its bound, and calls back once: at its end, or as soon as it is over the bound. */
  collect(bytesMax: number, done: (body: Body) => void): void {
    const collected = (body: Body): void => {
      if (this.over) return
      const nested = this.#inside
      this.#inside = true
      done(body)
      this.#inside = nested
    }
    const body = new Collecting(this.#shared, bytesMax, collected, ChunkWatch.of(this.framing))
    this.#body = body
    if (this.#early === undefined) this.#res.onData((chunk, isLast) => body.take(chunk, isLast))
    else this.#early.into(body)
  }

  /**
   * Does the work once the read of this request is over, unless the library ended the connection: it does where anything stands
   * behind a request that is not answered yet. The answer ends it else.
   */
  afterRead(work: () => void): void {
    this.#closes = true
    const early = new Early(this.#shared)
    this.#early = early
    this.#res.onData((chunk, isLast) => early.take(chunk, isLast))
    later(() => {
      if (!this.over) this.#res.cork(work)
      early.drop()
    })
  }

  /** Answers within the request's own callback and ends the connection; nothing more of its read is looked at. */
  refuse(answer: Answer): void {
    // the library would have to be given more than the head, which must be all
    if (this.method === "HEAD") return this.afterRead(() => this.answer(answer))
    this.#finish(answer.status)
    const head = headOf(this.#shared.always(this.origin)) + answer.head
    refuseWithin(this.#res, statusLine(answer.status), this.requestId, head, String(answer.body))
    this.#settle()
  }

  /** Answers, once; a second answer, or one after an abort, is nothing. */
  answer(answer: Answer, closes = false): void {
    if (this.over) return letGo(answer)
    this.beforeAnswer?.(answer)
    this.#finish(answer.status)
    if (this.#inside) return this.#write(answer, closes || this.#closes)
    this.#waiting = answer
    this.#closes ||= closes
    flushLater(this)
  }

  /** Writes what was answered, after the tick. */
  flush(): void {
    const answer = this.#waiting
    if (answer === undefined) return
    this.#waiting = undefined
    if (this.#gone) letGo(answer)
    else this.#res.cork(() => this.#write(answer, this.#closes))
  }

  /** Opens an answer that stays open. The exchange is over when the outlet ends or the peer leaves. */
  stream(headers: Headers): Outlet | undefined {
    if (this.over) return undefined
    const start = () => this.#writeHead(200, headOf(headers))
    const { outlet, gone } = openOutlet(this.#res, start, () => {
      this.#shared.streams.delete(outlet)
      this.giveUp?.()
      if (!this.over) this.#finish(200)
      this.#settle()
    })
    this.#stopStream = gone
    this.#shared.streams.add(outlet)
    return outlet
  }

  /** Answered, and not yet written. */
  #waiting: Answer | undefined
  #closes = false
  #gone = false
  #stopStream: (() => void) | undefined
  #body: Collecting | undefined
  #early: Early | undefined
  #file: FileBody | undefined
  #settled = false

  /** The outcome is known; the bytes may still be on their way. */
  #finish(status: number): void {
    this.over = true
    this.#body?.drop()
    this.ended?.()
    count("hub_requests_total", String(status))
  }

  /** The last byte is handed over, or nobody is there to take it: no longer under way. */
  #settle(): void {
    if (this.#settled) return
    this.#settled = true
    const shared = this.#shared
    if (--shared.live === 0) shared.emptied()
  }

  #aborted(): void {
    this.#gone = true
    this.#stopStream?.()
    this.#file?.close()
    if (!this.over) {
      this.over = true
      this.#body?.drop()
      this.ended?.()
      this.giveUp?.()
      count("hub_requests_aborted_total")
    }
    this.#settle()
  }

  /** All headers in one call, which the library writes as they are: each call costs as much as ten joined texts. */
  #writeHead(status: number, head: string): void {
    if (status !== 200) this.#res.writeStatus(statusLine(status)) // what it writes when nothing is said
    const always = headOf(this.#shared.always(this.origin))
    this.#res.writeHeader("x-request-id", this.requestId + always + this.extra + head)
  }

  #write(answer: Answer, closes: boolean): void {
    const res = this.#res
    const close = closes || this.#shared.draining
    this.#writeHead(answer.status, answer.head)
    const { body } = answer
    if (body === undefined) {
      if (answer.status === 204 || answer.status === 304) this.#writeNoContent(close)
      else res.endWithoutBody(0, close)
    } else if (this.method === "HEAD") {
      letGo(answer)
      this.#writeLength(bytesOf(body), close)
    } else if (body instanceof FileBody) return this.#writeFile(body, close)
    else if (body.length > wholeAnswerBytesMax && !closes) {
      return this.#writeLarge(typeof body === "string" ? Buffer.from(body) : body, close)
    } else res.end(body, close)
    this.#settle()
  }

  /** Where the library does not say it by itself. */
  #sayClose(close: boolean): void {
    if (close) this.#res.writeHeader("connection", "close")
  }

  /** These have no length. Said to the library as `undefined`, it would be written as 2^63. */
  #writeNoContent(close: boolean): void {
    this.#sayClose(close)
    this.#res.endWithoutBody()
  }

  /**
   * The length of a body that is not sent; of a stream none is known. Were the length the library's to write, it would wait for
   * that body: the connection would take no further request, and not close.
   */
  #writeLength(length: number, close: boolean): void {
    if (close && length > 0) return this.#closeAfterLength(length)
    if (length > 0) this.#res.writeHeader("content-length", String(length))
    this.#writeNoContent(close)
  }

  /** Here it does wait, so that the connection is still ours to close: what follows on it is no request. */
  #closeAfterLength(length: number): void {
    this.#sayClose(true)
    this.#stay()
    this.#res.tryEnd("", length)
    later(() => {
      if (!this.#gone) this.#res.close()
    })
  }

  /** A reader who leaves in between must not leave the file open. */
  #writeFile(body: FileBody, close: boolean): void {
    this.#sayClose(close)
    this.#file = body
    body.closed = () => this.#settle()
    sendFile(this.#res, body, () => this.#gone)
  }

  /** Hands over what the kernel takes and waits for the peer to read before the rest. */
  #writeLarge(bytes: Uint8Array, close: boolean): void {
    this.#sayClose(close)
    const res = this.#res
    const [, finished] = res.tryEnd(bytes, bytes.byteLength)
    if (finished) return this.#settle()
    res.onWritable((offset) => {
      if (this.#gone) return true
      const [taken, whole] = res.tryEnd(bytes.subarray(offset), bytes.byteLength)
      if (whole) this.#settle()
      return taken
    })
  }
}
