/**
 * One request and its response over a kept-alive connection. The response body is capped, redirects are not followed,
 * and a failure becomes one of six words. Owns what an answer or an error means; opens no connection itself. It is
 * not undici's client, which took 23 µs of CPU a delivery over 200 connections when this one replaced it; the bench
 * `delivery` has the whole beside a bare loop.
 */
import { cutToBytes } from "../domain/text/truncate.ts"
import type { AttemptError, AttemptResult } from "../domain/webhook/delivery.ts"
import {
  informationalAnswersMax,
  keepAliveMarginMillis,
  originIdleMillis,
  responseBytesMax,
  responseChunksMax,
  responseLineCost,
  wornConnectionsMax
} from "../limits/delivery.ts"
import { attemptDetail, attemptError } from "./attempt-failure.ts"
import type { Carrier, Sender, Sending } from "./http-connections.ts"
import { HttpResponse } from "./http-response.ts"

/** The outcome, without its duration. */
export type Reply = Omit<AttemptResult, "durationMs">

/** A failure without a response; its body is what the hub says of it. */
export const failed = (error: AttemptError, detail = ""): Reply => ({
  statusCode: undefined,
  error,
  retryAfter: undefined,
  body: detail,
  truncated: false
})

// Postgres text holds no NUL, and the replacement of an invalid byte takes three bytes.
const storable = (chunks: ReadonlyArray<Buffer>): string => {
  const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
  return cutToBytes(bytes.toString("utf8").replaceAll("\u0000", "\ufffd"), responseBytesMax)
}

const replyOf = (
  statusCode: number,
  retryAfter: string | undefined,
  chunks: ReadonlyArray<Buffer>,
  truncated: boolean
): Reply => {
  const redirect = statusCode >= 300 && statusCode < 400 && statusCode !== 304
  const body = chunks.length === 0 ? "" : storable(chunks)
  return { statusCode, error: redirect ? "redirect" : undefined, retryAfter, body, truncated }
}

// The errors of a connection that its receiver closed between two requests.
const closedErrors: ReadonlySet<unknown> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"])

const headerValue = /^[\t\x20-\x7e]*$/u

/** A request as it is written; undefined: a header cannot be. `start` is its first line and its `host`. */
export const requestText = (
  start: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array
): string | Uint8Array | undefined => {
  let text = `${start}connection: keep-alive\r\n`
  for (const name in headers) {
    const value = headers[name]!
    if (!headerValue.test(value)) return undefined
    text += `${name}: ${value}\r\n`
  }
  const head = `${text}content-length: ${Buffer.byteLength(body)}\r\n\r\n`
  return typeof body === "string" ? head + body : Buffer.concat([Buffer.from(head), body])
}

/** How long a connection may be idle, when its receiver says `Keep-Alive: timeout=…`: a little shorter than that. */
const idleMillisOf = (keepAlive: string | undefined): number => {
  const [, seconds] = /timeout=(\d{1,9})/iu.exec(keepAlive ?? "") ?? []
  if (seconds === undefined) return originIdleMillis
  return Math.min(originIdleMillis, Number(seconds) * 1_000 - keepAliveMarginMillis)
}

/** Takes the outcome, and what reading it cost (src/domain/limits/cost.ts). */
type TakeReply = (reply: Reply, cost: number) => void

/** One request, sent again where it met a connection that its receiver had closed. */
class Exchange implements Sending {
  readonly text: string | Uint8Array
  private readonly sender: Sender
  private readonly done: TakeReply
  private readonly response: HttpResponse
  private carrier: Carrier | undefined
  private ended = false
  private reused = false
  private heard = false
  private wornOut = 0
  private informational = 0
  private status = 0
  private retryAfter: string | undefined
  private idleMillis = originIdleMillis
  private bytes = 0
  private bytesRead = 0
  private readonly chunks: Array<Buffer> = []

  constructor(sender: Sender, text: string | Uint8Array, done: TakeReply) {
    this.sender = sender
    this.text = text
    this.done = done
    this.response = new HttpResponse(this)
  }

  // a method: a closure of each exchange's own is more to keep while its request is under way
  over(): boolean {
    return this.ended
  }

  sent(carrier: Carrier, reused: boolean): void {
    this.carrier = carrier
    this.reused = reused
  }

  received(bytes: Buffer): void {
    this.heard = true
    this.bytesRead += bytes.length
    try {
      this.response.read(bytes)
    } catch {
      return this.fail("connect")
    }
    if (this.response.over) this.answered()
  }

  closed(): void {
    if (this.response.closed()) this.answered()
  }

  lost(error: Error): void {
    this.carrier = undefined
    // The receiver closed the connection just as it was reused. If it took the request all the same, the id shows the
    // repeat.
    const isStale = this.reused && !this.heard && closedErrors.has((error as NodeJS.ErrnoException).code)
    if (!isStale || this.wornOut >= wornConnectionsMax) return this.fail(attemptError(error), attemptDetail(error))
    this.wornOut++
    this.reused = false
    this.sender.send(this)
  }

  head(status: number, header: (name: string) => string | undefined): void {
    if (status < 200) {
      if (++this.informational > informationalAnswersMax) this.fail("connect")
      return
    }
    this.status = status
    this.retryAfter = header("retry-after")
    const keepAlive = header("keep-alive")
    if (keepAlive !== undefined) this.idleMillis = idleMillisOf(keepAlive)
  }

  body(bytes: Buffer): void {
    if (this.ended) return
    const room = responseBytesMax - this.bytes
    this.bytes += Math.min(bytes.length, room)
    // a copy: a chunk of one byte would keep all that came with it
    this.chunks.push(Buffer.from(bytes.length > room ? bytes.subarray(0, room) : bytes))
    if (bytes.length > room || this.response.chunks > responseChunksMax)
      this.end(replyOf(this.status, this.retryAfter, this.chunks, true))
  }

  /** Ends it. A connection that it still has is closed. */
  end(reply: Reply | undefined): void {
    if (this.ended) return
    this.ended = true
    this.carrier?.destroy()
    this.carrier = undefined
    this.response.stop()
    if (reply !== undefined) this.done(reply, this.bytesRead + this.response.lines * responseLineCost)
  }

  private fail(error: AttemptError, detail?: string): void {
    this.end(failed(error, detail))
  }

  private answered(): void {
    if (this.ended) return
    if (this.response.reusable) {
      this.carrier?.release(this.idleMillis)
      this.carrier = undefined
    }
    this.end(replyOf(this.status, this.retryAfter, this.chunks, false))
  }
}

/**
 * Sends a request; `done` is called once. The returned function cancels: it closes the connection and `done` is not
 * called.
 */
export const exchange = (sender: Sender, text: string | Uint8Array | undefined, done: TakeReply): (() => void) => {
  if (text === undefined) {
    done(failed("connect"), 0)
    return () => undefined
  }
  const one = new Exchange(sender, text, done)
  sender.send(one)
  return () => one.end(undefined)
}
