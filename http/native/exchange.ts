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
import type { Exchanges, Wants } from "./exchange-needs.ts"
import type { FileBody } from "./file-body.ts"
import { ChunkWatch, refuseWithin } from "./framing.ts"
import { type Body, type BodyHolder, Collecting, Early } from "./request-body.ts"
import { type Framing, forwardedOf, idFrom, parametersOf, readHead } from "./request-head.ts"
import { hadMany, putOff } from "./requests-per-turn.ts"
import { letGo, type Written, writeBody } from "./response-writer.ts"
import { statusLine } from "./status-lines.ts"
import { openOutlet } from "./stream-writer.ts"
import { flushLater, later, type Writer } from "./tick-flush.ts"
import type { UnreadAnswer } from "./unread-answers.ts"

const departed: ClientAddress = { bucket: "departed", loopback: false }

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
  extra = ""
  /** Whose it is, as far as is known: what is held for it counts for this account. */
  account = ""
  /** Gives up the work that is under way for this exchange; an abort calls it. */
  giveUp: (() => void) | undefined
  /** Whether it is answered or aborted. */
  over = false
  /** Whether the peer has left. */
  gone = false
  /** Whether its answer ends the connection. */
  closes = false
  /** Called once, when it is answered or aborted. */
  ended: (() => void) | undefined
  /** Sees the answer before it is written; not called after an abort. */
  beforeAnswer: ((answer: Answer) => void) | undefined
  readonly #res: HttpResponse
  readonly #forwarded: string
  #client: ClientAddress | undefined
  readonly #streams: boolean
  #inside = true
  #waits = false

  constructor(res: HttpResponse, req: HttpRequest, shared: Exchanges, method: string, wants: Wants) {
    this.#res = res
    this.shared = shared
    this.method = method
    this.#streams = wants.streams === true
    this.query = req.getQuery() ?? ""
    const head = readHead(req)
    this.requestId = idFrom(head.requestId)
    this.authorization = head.authorization
    this.framing = head.framing
    this.idempotencyKey = wants.keyed === true ? head.idempotencyKey : ""
    this.path = this.idempotencyKey === "" ? "" : req.getUrl()
    this.origin = shared.crossOrigin ? req.getHeader("origin") : ""
    this.#forwarded = shared.proxied || wants.forwarded === true ? forwardedOf(req) : ""
    this.parameters = parametersOf(req, wants.parameters)
    this.headers = wants.headers.length === 0 ? wants.headers : wants.headers.map((name) => req.getHeader(name))
    shared.live++
  }

  /**
   * Who asks. Read when it is first wanted, as the look is a system call and most calls with a key never need it; so
   * whoever needs it reads it before it waits for anything: a peer that left can be asked nothing.
   */
  get client(): ClientAddress {
    if (this.#client === undefined) {
      if (this.#settled) return departed
      this.#client = this.shared.addresses.of(this.#res, this.#forwarded)
    }
    return this.#client
  }

  /** Whom what is held for it counts for. */
  owner(): string {
    return this.account === "" ? this.client.bucket : this.account
  }

  /** Says that the request's own callback is over: later answers go out with the tick's flush. */
  left(): void {
    this.#inside = false
    if (this.#settled) return
    this.stay()
    if (this.#body === undefined && this.#early === undefined) this.#wait()
  }

  /** Does in a later turn of the event loop what has no time in this one. What comes of its body is kept meanwhile. */
  putOff(work: () => void, takesBody: boolean): void {
    this.#inside = false
    const early = takesBody ? this.#keepBody() : undefined
    putOff(this.client.bucket, () => {
      if (this.over) return false
      work()
      early?.drop()
      return true
    })
  }

  #keepBody(): Early {
    this.#early = Early.of(this.#res, this)
    return this.#early
  }

  /** Makes ready for an abort. What is answered at once needs no such thing. */
  stay(): void {
    this.#res.onAborted(() => this.#aborted())
  }

  /** Nothing more is read of its connection while it waits. */
  #wait(): void {
    if (this.over || this.#streams || this.#stopStream !== undefined) return
    this.#waits = true
    this.shared.unread.add(this.#res)
  }

  #read(): void {
    if (this.#waits) this.shared.unread.remove(this.#res)
  }

  /** Collects the body, up to its bound, and calls back once: at its end, or as soon as it is over the bound. */
  collect(bytesMax: number, done: (body: Body) => void): void {
    const taken = (body: Body): void => {
      const nested = this.#inside
      this.#inside = true
      done(body)
      this.#inside = nested
      this.#wait()
    }
    const collected = (body: Body): void => {
      if (this.over) return
      // what stands behind the end of chunks in its read must end the connection before this is run and answered
      if (this.#early !== undefined) this.#next(() => taken(body))
      else taken(body)
    }
    const body = new Collecting(this, bytesMax, collected, ChunkWatch.of(this.framing))
    this.#body = body
    if (this.#early === undefined) this.#res.onData((chunk, isLast) => body.take(chunk, isLast))
    else this.#early.into(body)
  }

  /**
   * Does the work once the read of this request is over (`inTime`: in the next turn), unless the library ended the
   * connection, as it does where anything stands behind a request that is not answered yet. The answer ends it else.
   */
  afterRead(work: () => void, inTime = true): void {
    this.closes = true
    const serve = (): void => {
      work()
      if (this.#body === undefined) this.#wait()
    }
    if (!inTime) return this.putOff(serve, true)
    const early = this.#keepBody()
    this.#next(serve)
    later(() => early.drop())
  }

  #next(work: () => void): void {
    later(() => {
      if (!this.over) this.#res.cork(work)
    })
  }

  /** Answers within the request's own callback and ends the connection; nothing more of its read is looked at. */
  refuse(answer: Answer): void {
    // the library would have to be given more than the head, which must be all
    if (this.method === "HEAD") return this.afterRead(() => this.answer(answer))
    this.#finish(answer.status)
    const head = headOf(this.shared.always(this.origin)) + answer.head
    refuseWithin(this.#res, statusLine(answer.status), this.requestId, head, String(answer.body))
    this.settle()
  }

  /** Answers, once; a second answer, or one after an abort, is nothing. `closes`: and ends the connection. */
  answer(answer: Answer, closes = false): void {
    if (this.over) return letGo(answer)
    this.beforeAnswer?.(answer)
    this.#finish(answer.status)
    this.closes ||= closes
    if (this.#inside) return this.#write(answer)
    this.#waiting = answer
    flushLater(this)
  }

  /** Writes what was answered, after the tick. */
  flush(): void {
    const answer = this.#waiting
    if (answer === undefined) return
    this.#waiting = undefined
    if (this.gone) letGo(answer)
    else this.#write(answer)
  }

  /** Opens an answer that stays open. The exchange is over when the outlet ends or the peer leaves. */
  stream(headers: Headers): Outlet | undefined {
    if (this.over) return undefined
    this.#read()
    const start = () => this.#writeHead(200, headOf(headers))
    const { outlet, gone } = openOutlet(this.#res, start, () => {
      this.shared.streams.delete(outlet)
      this.giveUp?.()
      if (!this.over) this.#finish(200)
      this.settle()
    })
    this.#stopStream = gone
    this.shared.streams.add(outlet)
    return outlet
  }

  /** Answered, and not yet written. */
  #waiting: Answer | undefined
  #stopStream: (() => void) | undefined
  #body: Collecting | undefined
  #early: Early | undefined
  #file: FileBody | undefined
  #settled = false
  #unread: UnreadAnswer | undefined

  /** The outcome is known; the bytes may still be on their way. */
  #finish(status: number): void {
    this.over = true
    this.#body?.drop()
    this.ended?.()
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
    if (this.#settled) return
    this.#settled = true
    if (this.#unread !== undefined) this.shared.answers.remove(this.#unread)
    if (--this.shared.live === 0) this.shared.emptied()
  }

  #aborted(): void {
    this.gone = true
    this.shared.unread.forget(this.#res)
    this.#stopStream?.()
    this.#early?.drop()
    this.#file?.close()
    if (!this.over) {
      this.over = true
      this.#body?.drop()
      this.ended?.()
      this.giveUp?.()
      count("hub_requests_aborted_total")
    }
    this.settle()
  }

  /** All headers in one call, which the library writes as they are: each call costs as much as ten joined texts. */
  #writeHead(status: number, head: string): void {
    if (status !== 200) this.#res.writeStatus(statusLine(status)) // what it writes when nothing is said
    const always = headOf(this.shared.always(this.origin))
    this.#res.writeHeader("x-request-id", this.requestId + always + this.extra + head)
  }

  /** In one piece, also where the answers before it in the same read filled the library's buffer. */
  #write(answer: Answer): void {
    if (this.#inside && !hadMany()) this.#writeNow(answer)
    else this.#res.cork(() => this.#writeNow(answer))
  }

  #writeNow(answer: Answer): void {
    this.#read()
    this.#writeHead(answer.status, answer.head)
    writeBody(this.#res, answer, this.closes || this.shared.draining, this)
  }
}
