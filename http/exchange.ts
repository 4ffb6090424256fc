/**
 * One request and its one answer. Copies everything out of native memory first; an abort gives up the work under way for
 * it; what is answered after the request's own callback goes out with the tick's flush. Owns the native response: nothing
 * but the writing of its answer ever touches it, and after the end or an abort nothing does. While a request waits, nothing
 * more is read of its connection: the library ends one that sends a request while another of it waits.
 */

import type { HttpRequest, HttpResponse } from "uWebSockets.js"
import { count } from "../src/telemetry.ts"
import type { AddressReader, ClientAddress } from "./address.ts"
import { type Answer, type Headers, headOf, type Outlet } from "./answer.ts"
import { type Body, type BodyHolder, Collecting } from "./body.ts"
import type { FileBody } from "./filebody.ts"
import { flushLater, later, type Writer } from "./flush.ts"
import { forwardedOf, idFrom, readHead } from "./head.ts"
import { hadMany } from "./share.ts"
import { statusLine } from "./statuses.ts"
import { openOutlet } from "./stream.ts"
import type { UnreadConnections } from "./unread.ts"
import { letGo, type Written, writeBody } from "./writing.ts"

const none: ReadonlyArray<string> = []
const departed: ClientAddress = { bucket: "departed", loopback: false }

/** What exchanges share: the reader of addresses, the headers every answer carries, and who is told of the end. */
export interface Exchanges extends BodyHolder {
  readonly addresses: AddressReader
  /** Headers for every answer to a request of this origin. */
  readonly always: (origin: string) => Headers
  /** Whether any origin is known, so that it is worth reading. */
  readonly crossOrigin: boolean
  /** Whether any proxy is trusted, so that forwarded addresses are worth reading. */
  readonly proxied: boolean
  /** Whether the hub drains: each answer then closes its connection. */
  draining: boolean
  /** Streams that are open; a drain ends them. */
  readonly streams: Set<Outlet>
  /** Connections whose request waits. */
  readonly unread: UnreadConnections<HttpResponse>
  /** Requests under way, streams among them. */
  live: number
  /** Called when `live` falls to 0. */
  emptied: () => void
}

/** What a route wants copied beside the usual: each look into native memory costs, so nobody looks for nothing. */
export interface Wants {
  readonly parameters: number
  /** The names of further headers. */
  readonly headers: ReadonlyArray<string>
  /** The Idempotency-Key, and with it the path. */
  readonly keyed?: boolean
  /** The credential: whether one was sent that cannot be read is then told from none. */
  readonly named?: boolean
  /** The forwarded address also where no proxy is trusted: what was forwarded is not from this machine. */
  readonly forwarded?: boolean
  /** Whether the route takes a body. */
  readonly body?: boolean
  /** It answers with a stream: its connection is read on, as a paused one does not tell that its reader left. */
  readonly streams?: boolean
}

/** A request, copied, and the way to answer it. */
export class Exchange implements Writer, Written {
  readonly method: string
  /** "" without an Idempotency-Key. */
  readonly path: string
  readonly query: string
  readonly requestId: string
  readonly authorization: string
  /** Whether its body could be read in two ways; it is then none. */
  readonly ambiguous: boolean
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
  /** Whether the peer has left. */
  gone = false
  /** Called once, when it is answered or aborted. */
  ended: (() => void) | undefined
  /** Sees the answer before it is written; not called after an abort. */
  beforeAnswer: ((answer: Answer) => void) | undefined
  readonly #res: HttpResponse
  readonly #shared: Exchanges
  readonly #forwarded: string
  #client: ClientAddress | undefined
  readonly #streams: boolean
  #inside = true
  #waits = false

  constructor(res: HttpResponse, req: HttpRequest, shared: Exchanges, method: string, wants: Wants) {
    this.#res = res
    this.#shared = shared
    this.method = method
    this.#streams = wants.streams === true
    this.query = req.getQuery() ?? ""
    const keyed = wants.keyed === true
    const head = readHead(req, keyed, wants.named === true)
    this.requestId = idFrom(head.requestId)
    this.authorization = head.authorization
    this.ambiguous = head.ambiguous
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
    if (this.#settled) return
    this.stay()
    if (this.#body === undefined) this.#wait()
  }

  /** Does in the next turn of the event loop what there is no time for in this one. A body is collected all the same. */
  putOff(work: () => void, takesBody: boolean): void {
    this.#inside = false
    if (takesBody) return work()
    later(() => {
      if (!this.over) work()
    })
  }

  /** Makes ready for an abort. What is answered at once needs no such thing. */
  stay(): void {
    this.#res.onAborted(() => this.#aborted())
  }

  /** Nothing more is read of its connection while it waits. */
  #wait(): void {
    if (this.over || this.#streams || this.#stopStream !== undefined) return
    this.#waits = true
    this.#shared.unread.add(this.#res)
  }

  #read(): void {
    if (this.#waits) this.#shared.unread.remove(this.#res)
  }

  /** Collects the body, up to its bound, and calls back once: at its end, or as soon as it is over the bound. */
  collect(bytesMax: number, done: (body: Body) => void): void {
    const body = new Collecting(this.#shared, bytesMax, (collected) => {
      if (this.over) return
      const nested = this.#inside
      this.#inside = true
      done(collected)
      this.#inside = nested
      this.#wait()
    })
    this.#body = body
    this.#res.onData((chunk, isLast) => body.take(chunk, isLast))
  }

  /** Answers, once; a second answer, or one after an abort, is nothing. */
  answer(answer: Answer, closes = false): void {
    if (this.over) return letGo(answer)
    this.beforeAnswer?.(answer)
    this.#finish(answer.status)
    if (this.#inside) return this.#write(answer, closes)
    this.#waiting = answer
    this.#closes = closes
    flushLater(this)
  }

  /** Writes what was answered, after the tick. */
  flush(): void {
    const answer = this.#waiting
    if (answer === undefined) return
    this.#waiting = undefined
    if (this.gone) letGo(answer)
    else this.#write(answer, this.#closes)
  }

  /** Opens an answer that stays open. The exchange is over when the outlet ends or the peer leaves. */
  stream(headers: Headers): Outlet | undefined {
    if (this.over) return undefined
    this.#read()
    const start = () => this.#writeHead(200, headOf(headers))
    const { outlet, gone } = openOutlet(this.#res, start, () => {
      this.#shared.streams.delete(outlet)
      this.giveUp?.()
      if (!this.over) this.#finish(200)
      this.settle()
    })
    this.#stopStream = gone
    this.#shared.streams.add(outlet)
    return outlet
  }

  /** Answered, and not yet written. */
  #waiting: Answer | undefined
  #closes = false
  #stopStream: (() => void) | undefined
  #body: Collecting | undefined
  #file: FileBody | undefined
  #settled = false

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

  /** The last byte is handed over, or nobody is there to take it: no longer under way. */
  settle(): void {
    if (this.#settled) return
    this.#settled = true
    const shared = this.#shared
    if (--shared.live === 0) shared.emptied()
  }

  #aborted(): void {
    this.gone = true
    this.#shared.unread.forget(this.#res)
    this.#stopStream?.()
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
    const always = headOf(this.#shared.always(this.origin))
    this.#res.writeHeader("x-request-id", this.requestId + always + this.extra + head)
  }

  /** In one piece, also where the answers before it in the same read filled the library's buffer. */
  #write(answer: Answer, closes: boolean): void {
    if (this.#inside && !hadMany()) this.#writeNow(answer, closes)
    else this.#res.cork(() => this.#writeNow(answer, closes))
  }

  #writeNow(answer: Answer, closes: boolean): void {
    this.#read()
    this.#writeHead(answer.status, answer.head)
    writeBody(this.#res, answer, closes || this.#shared.draining, this)
  }
}
