/**
 * One request and its one answer. Copies the request out of native memory first. An abort cancels its work. A late
 * answer goes out with the tick's flush. Owns the native response, which nothing touches after the end or an abort. A
 * connection is paused while its request waits: the library ends one that sends another meanwhile.
 */
import type { HttpRequest, HttpResponse } from "uWebSockets.js"
import { count } from "../../src/runtime/metrics.ts"
import type { CallRecord } from "../pipeline/call-record.ts"
import type { FileBody } from "../pipeline/file-body.ts"
import { noLimits } from "../pipeline/rate-limit-headers.ts"
import type { Body, ClientAddress } from "../pipeline/request-parts.ts"
import { type Answer, type Head, type Headers, type Outlet, wholeHeadOf } from "../pipeline/response.ts"
import { disconnectedClient } from "./client-address.ts"
import type { Exchanges, RouteNeeds } from "./exchange-needs.ts"
import { ChunkWatch, refuseAndClose } from "./framing.ts"
import { BodyCollector, type BodyHolder, EarlyBody, hearPieces } from "./request-body.ts"
import { type AfterAnswer, type Framed, idFrom, parametersOf, readHead } from "./request-head.ts"
import { mayHaveFlushed, postpone } from "./requests-per-turn.ts"
import { headBytes } from "./response-head.ts"
import { isClosedUnsaid, letGo, type Written, writeBody } from "./response-writer.ts"
import { countAnswer, statusLine } from "./status-lines.ts"
import { openOutlet } from "./stream-writer.ts"
import { afterTick, flushLater, type Writer } from "./tick-flush.ts"
import type { UnreadAnswer } from "./unread-answers.ts"

/** A copied request and the way to answer it. */
export class NativeExchange implements BodyHolder, Writer, Written {
  readonly shared: Exchanges
  readonly method: string
  readonly path: string
  readonly query: string
  readonly requestId: string
  readonly authorization: string
  readonly accept: string
  /** How its body is framed, and what of its head is odd. */
  readonly framed: Framed
  readonly afterAnswer: AfterAnswer
  readonly trace: string
  readonly origin: string
  readonly idempotencyKey: string
  /** The path's parameters, in order, undecoded. */
  readonly parameters: ReadonlyArray<string>
  /** The headers that the route asked for, in that order; "" for an absent one. */
  readonly headers: ReadonlyArray<string>
  record: CallRecord | undefined
  warnings: ReadonlyArray<string> | undefined
  /** Cancels the work in progress for this exchange; an abort calls it. */
  cancel: (() => void) | undefined
  /** Whether it is answered or aborted; `gone`: the peer has disconnected. */
  isOver = false
  gone = false
  closes = false
  readonly #res: HttpResponse
  readonly #forwarded: string
  #client: ClientAddress | undefined
  readonly #streams: boolean
  #isInCallback = true

  constructor(res: HttpResponse, req: HttpRequest, shared: Exchanges, method: string, wants: RouteNeeds) {
    this.#res = res
    this.shared = shared
    this.method = method
    this.#streams = wants.streams === true
    this.query = req.getQuery() ?? ""
    const head = readHead(req, wants.headers)
    this.requestId = idFrom(head.requestId)
    this.authorization = head.authorization
    this.accept = head.accept
    this.framed = head
    this.trace = head.trace
    this.afterAnswer = head.afterAnswer
    this.idempotencyKey = wants.keyed === true ? head.idempotencyKey : ""
    this.path = this.idempotencyKey === "" && wants.path !== true ? "" : req.getUrl()
    this.origin = shared.crossOrigin ? req.getHeader("origin") : ""
    this.#forwarded = head.isForwarded ? shared.addresses.forwarded(res, req, wants.forwarded) : ""
    this.parameters = parametersOf(req, wants.parameters)
    this.headers = head.wanted
    shared.live++
  }

  // read on first use: a system call that most calls with a key never need
  /** The caller's address. Read it before waiting for anything: after a disconnect it is unknown. */
  get client(): ClientAddress {
    if (this.#client === undefined && (this.#isSettled || this.gone)) return disconnectedClient
    this.#client ??= this.shared.addresses.of(this.#res, this.#forwarded)
    return this.#client
  }

  /** The account, or the address, that the bytes held for this exchange count towards. */
  owner(): string {
    return this.record?.account || this.client.bucket
  }

  isKnown(): boolean {
    return (this.record?.account ?? "") !== ""
  }

  /** The request's own callback has ended: later answers go out with the tick's flush. */
  callbackEnded(): void {
    this.#isInCallback = false
    if (this.#isSettled) return
    this.stay()
    if (this.#body === undefined && this.#early === undefined) this.#pause()
  }

  /** Does in a later turn of the event loop what has no time in this one. What comes of its body is kept meanwhile. */
  postpone(work: () => void, takesBody: boolean): void {
    this.#isInCallback = false
    const early = takesBody ? this.#keepBody() : undefined
    postpone(this.client.bucket, () => {
      if (this.isOver) return false
      work()
      early?.drop()
      return true
    })
  }

  #keepBody(): EarlyBody {
    this.#early = new EarlyBody(this)
    hearPieces(this.#res, this, this.#early)
    return this.#early
  }

  /** Makes ready for an abort. What is answered at once needs no such thing. */
  stay(): void {
    this.#res.onAborted(() => this.#aborted())
  }

  /** Pauses reading from the connection while the request waits. */
  #pause(): void {
    if (this.isOver || this.#streams || this.#stopStream !== undefined) return
    this.shared.paused.add(this.#res)
  }

  /** Collects the body up to its bound. Calls back once: at the end, or as soon as the bound is exceeded. */
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
      // bytes behind the last chunk in the same read must end the connection before this request runs
      if (this.#early !== undefined) this.#runAfterRead(() => hand(body))
      else hand(body)
    }
    const body = new BodyCollector(this, bytesMax, onBody, ChunkWatch.of(this.framed.framing))
    this.#body = body
    if (this.#early === undefined) hearPieces(this.#res, this, body)
    else this.#early.forwardTo(body)
  }

  /**
   * Does the work once the read of this request is over (`inTime`: in the next turn), unless the library ended the
   * connection, as it does where anything stands behind a request that is not answered yet. The answer ends it else.
   */
  afterRead(work: () => void, inTime = true): void {
    this.closes = true
    const serve = (): void => {
      work()
      if (this.#body === undefined) this.#pause()
    }
    if (!inTime) return this.postpone(serve, true)
    const early = this.#keepBody()
    this.#runAfterRead(serve)
    afterTick(() => early.drop())
  }

  #runAfterRead(work: () => void): void {
    afterTick(() => {
      if (!this.isOver) this.#res.cork(work)
    })
  }

  /** Answers within a callback of the library and closes the connection; the rest of the read is discarded. */
  refuse(answer: Answer): void {
    // refuseAndClose needs to write more than the head, and a HEAD response is only the head
    if (this.method === "HEAD") return this.afterRead(() => this.answer(answer))
    this.#finish(answer.status, answer)
    const head = this.shared.commonHead(this.origin).text + answer.head.text
    refuseAndClose(this.#res, statusLine(answer.status), this.requestId, head, String(answer.body))
    this.settle()
    this.cancel?.()
  }

  /** Answers once; a second answer, or one after an abort, is ignored. `closes`: the answer ends the connection. */
  answer(answer: Answer, closes = false): void {
    if (this.isOver) return letGo(answer)
    this.#finish(answer.status, answer)
    this.closes ||= closes
    if (this.#isInCallback) return this.#write(answer)
    this.#pendingAnswer = answer
    flushLater(this)
  }

  flush(): void {
    const answer = this.#pendingAnswer
    if (answer === undefined) return
    this.#pendingAnswer = undefined
    if (this.gone) letGo(answer)
    else this.#write(answer)
  }

  /** Opens a streamed answer. The exchange is over when the outlet ends or the peer disconnects. */
  stream(headers: Headers): Outlet | undefined {
    if (this.isOver) return undefined
    this.shared.paused.remove(this.#res)
    const start = () => this.#writeHead(200, wholeHeadOf(headers))
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

  #pendingAnswer: Answer | undefined
  #stopStream: (() => void) | undefined
  #body: BodyCollector | undefined
  #early: EarlyBody | undefined
  #file: FileBody | undefined
  #isSettled = false
  #unread: UnreadAnswer | undefined
  /** Of the answer that is being written. */
  #release: (() => void) | undefined

  /** The outcome is known; the bytes may still wait. */
  #finish(status: number, answer?: Answer): void {
    if (answer !== undefined) this.record?.end(answer)
    this.isOver = true
    this.#body?.drop()
    this.shared.bodyTurns.end(this.#res)
    countAnswer(status)
  }

  /** Closes this file when the peer disconnects. */
  hold(file: FileBody): void {
    this.#file = file
  }

  /** The answer waits for its reader. */
  unread(one: UnreadAnswer): void {
    this.#unread = one
    this.shared.answers.add(one)
  }

  /** The last byte was handed over, or the peer has disconnected: the exchange is complete. */
  settle(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    if (this.#unread !== undefined) this.shared.answers.remove(this.#unread)
    this.#release?.()
    if (--this.shared.live === 0) this.shared.onIdle()
  }

  #aborted(): void {
    this.gone = true
    this.shared.paused.forget(this.#res)
    this.shared.bodyTurns.forget(this.#res)
    this.#stopStream?.()
    this.#early?.drop()
    this.#file?.close()
    if (!this.isOver) {
      this.isOver = true
      this.#body?.drop()
      this.cancel?.()
      this.record?.end("left")
      count("hub_requests_aborted_total")
    }
    this.settle()
  }

  /** Writes all headers in one call, which the library copies unchanged. */
  #writeHead(status: number, head: Head): void {
    if (status !== 200) this.#res.writeStatus(statusLine(status)) // the library writes 200 by default
    const common = this.shared.commonHead(this.origin)
    const limits = this.record?.rateLimits ?? noLimits
    this.#res.writeHeader("x-request-id", headBytes(this.requestId, common, limits, isClosedUnsaid(this), head))
  }

  /** Writes in one piece, also when earlier answers of the same read have filled the library's buffer. */
  #write(answer: Answer): void {
    if (this.#isInCallback && !mayHaveFlushed()) this.#writeNow(answer)
    else this.#res.cork(() => this.#writeNow(answer))
  }

  #writeNow(answer: Answer): void {
    this.shared.paused.remove(this.#res)
    this.#writeHead(answer.status, answer.head)
    this.#release = answer.release
    const isAsked = this.shared.draining || this.afterAnswer === "closed"
    writeBody(this.#res, answer, this.closes || (isAsked && !isClosedUnsaid(this)), this)
  }
}
