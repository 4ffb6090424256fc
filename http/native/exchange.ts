/**
 * One request and its one answer. Copies everything out of native memory first; an abort gives up the work under way
 * for it; what is answered after the request's own callback goes out with the tick's flush. Owns the native response:
 * nothing but the writing of its answer ever touches it, and after the end or an abort nothing does. While a request
 * waits, nothing more is read of its connection: the library ends one that sends a request while another of it waits.
 */

import type { HttpRequest, HttpResponse } from "uWebSockets.js"
import { count } from "../../src/runtime/metrics.ts"
import { type Answer, type Headers, headOf, type Outlet } from "../pipeline/response.ts"
import type { ClientAddress } from "./client-address.ts"
import type { Exchanges, RouteNeeds } from "./exchange-needs.ts"
import type { FileBody } from "./file-body.ts"
import { ChunkWatch, refuseAndClose } from "./framing.ts"
import { type Body, BodyCollector, type BodyHolder, EarlyBody } from "./request-body.ts"
import { type Framing, forwardedOf, idFrom, readHead } from "./request-head.ts"
import { hadMany } from "./requests-per-turn.ts"
import { letGo, type Written, writeBody } from "./response-writer.ts"
import { statusLine } from "./status-lines.ts"
import { openOutlet } from "./stream-writer.ts"
import { afterTick, flushLater, type Writer } from "./tick-flush.ts"
import type { UnreadAnswer } from "./unread-answers.ts"

const none: ReadonlyArray<string> = []
const disconnectedClient: ClientAddress = { bucket: "departed", loopback: false }

/** A request, copied, and the way to answer it. */
export class Exchange implements BodyHolder, Writer, Written {
  readonly shared: Exchanges
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
  extraHead = ""
  /** Whose it is, as far as is known: what is held for it counts for this account. */
  account = ""
  /** Gives up the work that is under way for this exchange; an abort calls it. */
  cancel: (() => void) | undefined
  /** Whether it is answered or aborted. */
  isOver = false
  /** Whether the peer has left. */
  gone = false
  /** Whether its answer ends the connection. */
  closes = false
  /** Called once, when it is answered or aborted. */
  onEnd: (() => void) | undefined
  /** Sees the answer before it is written; not called after an abort. */
  beforeAnswer: ((answer: Answer) => void) | undefined
  readonly #res: HttpResponse
  readonly #forwarded: string
  #client: ClientAddress | undefined
  readonly #streams: boolean
  #isInCallback = true
  #isPaused = false

  constructor(res: HttpResponse, req: HttpRequest, shared: Exchanges, method: string, wants: RouteNeeds) {
    this.#res = res
    this.shared = shared
    this.method = method
    this.#streams = wants.streams === true
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
      if (this.#isSettled) return disconnectedClient
      this.#client = this.shared.addresses.of(this.#res, this.#forwarded)
    }
    return this.#client
  }

  /** Whom what is held for it counts for. */
  owner(): string {
    return this.account === "" ? this.client.bucket : this.account
  }

  /** Says that the request's own callback is over: later answers go out with the tick's flush. */
  callbackEnded(): void {
    this.#isInCallback = false
    if (this.#isSettled) return
    this.stay()
    if (this.#body === undefined && this.#early === undefined) this.#pause()
  }

  /** Does in the next turn of the event loop what has no time in this one. A body is collected all the same. */
  defer(work: () => void, takesBody: boolean): void {
    this.#isInCallback = false
    if (takesBody) return work()
    afterTick(() => {
      if (!this.isOver) work()
    })
  }

  /** Makes ready for an abort. What is answered at once needs no such thing. */
  stay(): void {
    this.#res.onAborted(() => this.#aborted())
  }

  /** Nothing more is read of its connection while it waits. */
  #pause(): void {
    if (this.isOver || this.#streams || this.#stopStream !== undefined) return
    this.#isPaused = true
    this.shared.paused.add(this.#res)
  }

  #resume(): void {
    if (this.#isPaused) this.shared.paused.remove(this.#res)
  }

  /** Collects the body, up to its bound, and calls back once: at its end, or as soon as it is over the bound. */
  collect(bytesMax: number, done: (body: Body) => void): void {
    const hand = (body: Body): void => {
      const wasInCallback = this.#isInCallback
      this.#isInCallback = true
      done(body)
      this.#isInCallback = wasInCallback
      this.#pause()
    }
    const onBody = (body: Body): void => {
      if (this.isOver) return
      // what stands behind the end of chunks in its read must end the connection before this is run and answered
      if (this.#early !== undefined) this.#runAfterRead(() => hand(body))
      else hand(body)
    }
    const body = new BodyCollector(this, bytesMax, onBody, ChunkWatch.of(this.framing))
    this.#body = body
    if (this.#early === undefined) this.#res.onData((chunk, isLast) => body.take(chunk, isLast))
    else this.#early.forwardTo(body)
  }

  /**
   * Does the work once the read of this request is over, unless the library ended the connection: it does where
   * anything stands behind a request that is not answered yet. The answer ends it else.
   */
  afterRead(work: () => void): void {
    this.closes = true
    const early = new EarlyBody(this)
    this.#early = early
    this.#res.onData((chunk, isLast) => early.take(chunk, isLast))
    this.#runAfterRead(() => {
      work()
      if (this.#body === undefined) this.#pause()
    })
    afterTick(() => early.drop())
  }

  /** Works once this read is over. */
  #runAfterRead(work: () => void): void {
    afterTick(() => {
      if (!this.isOver) this.#res.cork(work)
    })
  }

  /** Answers within the request's own callback and ends the connection; nothing more of its read is looked at. */
  refuse(answer: Answer): void {
    // the library would have to be given more than the head, which must be all
    if (this.method === "HEAD") return this.afterRead(() => this.answer(answer))
    this.#finish(answer.status)
    const head = headOf(this.shared.commonHeaders(this.origin)) + answer.head
    refuseAndClose(this.#res, statusLine(answer.status), this.requestId, head, String(answer.body))
    this.settle()
  }

  /** Answers, once; a second answer, or one after an abort, is nothing. `closes`: and ends the connection. */
  answer(answer: Answer, closes = false): void {
    if (this.isOver) return letGo(answer)
    this.beforeAnswer?.(answer)
    this.#finish(answer.status)
    this.closes ||= closes
    if (this.#isInCallback) return this.#write(answer)
    this.#pendingAnswer = answer
    flushLater(this)
  }

  /** Writes what was answered, after the tick. */
  flush(): void {
    const answer = this.#pendingAnswer
    if (answer === undefined) return
    this.#pendingAnswer = undefined
    if (this.gone) letGo(answer)
    else this.#write(answer)
  }

  /** Opens an answer that stays open. The exchange is over when the outlet ends or the peer leaves. */
  stream(headers: Headers): Outlet | undefined {
    if (this.isOver) return undefined
    this.#resume()
    const start = () => this.#writeHead(200, headOf(headers))
    const { outlet, gone } = openOutlet(this.#res, start, () => {
      this.shared.streams.delete(outlet)
      this.cancel?.()
      if (!this.isOver) this.#finish(200)
      this.settle()
    })
    this.#stopStream = gone
    this.shared.streams.add(outlet)
    return outlet
  }

  /** Answered, and not yet written. */
  #pendingAnswer: Answer | undefined
  #stopStream: (() => void) | undefined
  #body: BodyCollector | undefined
  #early: EarlyBody | undefined
  #file: FileBody | undefined
  #isSettled = false
  #unread: UnreadAnswer | undefined

  /** The outcome is known; the bytes may still be on their way. */
  #finish(status: number): void {
    this.isOver = true
    this.#body?.drop()
    this.onEnd?.()
    count("hub_requests_total", String(status))
  }

  /** Lets go of this file when the peer leaves. */
  hold(file: FileBody): void {
    this.#file = file
  }

  /** Its answer waits for its reader. */
  unread(one: UnreadAnswer): void {
    this.#unread = one
    this.shared.answers.add(one)
  }

  /** The last byte is handed over, or nobody is there to take it: no longer under way. */
  settle(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    if (this.#unread !== undefined) this.shared.answers.remove(this.#unread)
    const shared = this.shared
    if (--shared.live === 0) shared.onIdle()
  }

  #aborted(): void {
    this.gone = true
    this.shared.paused.forget(this.#res)
    this.#stopStream?.()
    this.#file?.close()
    if (!this.isOver) {
      this.isOver = true
      this.#body?.drop()
      this.onEnd?.()
      this.cancel?.()
      count("hub_requests_aborted_total")
    }
    this.settle()
  }

  /** All headers in one call, which the library writes as they are: each call costs as much as ten joined texts. */
  #writeHead(status: number, head: string): void {
    if (status !== 200) this.#res.writeStatus(statusLine(status)) // what it writes when nothing is said
    const always = headOf(this.shared.commonHeaders(this.origin))
    this.#res.writeHeader("x-request-id", this.requestId + always + this.extraHead + head)
  }

  /** In one piece, also where the answers before it in the same read filled the library's buffer. */
  #write(answer: Answer): void {
    if (this.#isInCallback && !hadMany()) this.#writeNow(answer)
    else this.#res.cork(() => this.#writeNow(answer))
  }

  #writeNow(answer: Answer): void {
    this.#resume()
    this.#writeHead(answer.status, answer.head)
    writeBody(this.#res, answer, this.closes || this.shared.draining, this)
  }
}
