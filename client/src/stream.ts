/**
 * A stream of the hub that outlives its connection: it is opened again behind its last event. Owns the waits between
 * attempts and what ends a stream; knows no event's meaning.
 */
import { ConnectionFailed, isFailure, Refused } from "./failures.ts"
import { operationOf, prepare } from "./request.ts"
import { attempt, refusalOf } from "./send.ts"
import { type ServerSentEvent, serverSentEvents } from "./server-sent-events.ts"
import type { StreamItem, StreamOptions } from "./stream-item.ts"
import type { Transport } from "./transport.ts"
import type { OperationName } from "./types.ts"

/** The hub sends a comment each 15 s; a stream that is silent for longer is lost. */
const silenceMillisMax = 45_000
const waitFirstMillis = 500
const waitLastMillis = 30_000

const lostUsualMillisMax = 600_000
/** One wait, however long the hub says: a timer of the platform takes no more than 24 days. */
const pauseMillisMax = 3_600_000
/** Endings after which the hub asks the reader to come back with its place. */
const passing = new Set(["slow_reader", "overloaded"])

type Member = Readonly<Record<string, unknown>>

const itemOf = <Data>({ id, event, data }: ServerSentEvent): StreamItem<Data> | undefined => {
  if (data === undefined) return undefined
  const value: unknown = JSON.parse(data)
  if (event === "gap") {
    const { after, reason } = value as Member
    return {
      type: "gap",
      after: typeof after === "string" ? after : null,
      reason: typeof reason === "string" ? reason : undefined
    }
  }
  if (event === "end") return { type: "end", reason: String((value as Member)["reason"]) }
  return { type: "event", id, data: value as Data }
}

/** Fails the reading of a connection that says nothing for too long. */
class Watch {
  readonly #silent = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined

  get signal(): AbortSignal {
    return this.#silent.signal
  }

  heard(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#silent.abort(new Error("the stream is silent")), silenceMillisMax)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}

/** One opened stream: its place, and how long it has waited for the hub. */
class Resumption {
  place: string | undefined
  private opened = false
  private failures = 0
  private away = 0
  private readonly transport: Transport
  private readonly options: StreamOptions
  private retryMillis = waitFirstMillis

  constructor(transport: Transport, options: StreamOptions) {
    this.transport = transport
    this.options = options
    this.place = options.lastEventId
  }

  open(): void {
    this.opened = true
    this.options.onState?.("open")
  }

  heard({ id, retryMillis }: ServerSentEvent): void {
    this.failures = 0
    this.away = 0
    if (id !== undefined) this.place = id
    if (retryMillis !== undefined) this.retryMillis = Math.min(waitLastMillis, retryMillis)
  }

  /** A proxy's answer ends no stream that the hub has opened before: the hub is behind it, and comes back. */
  private isFinal({ status, problem }: Refused): boolean {
    return status !== 429 && status < 500 && (problem !== undefined || !this.opened)
  }

  /** Waits before the next attempt; throws the error where there is to be none. */
  async pause(error: unknown): Promise<void> {
    const refused = error instanceof Refused ? error : undefined
    if (this.options.signal?.aborted === true) return
    if (refused !== undefined && this.isFinal(refused)) throw error
    this.options.onState?.("lost")
    const backOff = Math.min(waitLastMillis, this.retryMillis * 2 ** Math.min(this.failures++, 10))
    const spread = backOff * (0.5 + this.transport.random() / 2)
    const millis = Math.max(spread, (refused?.retryAfter ?? 0) * 1_000)
    this.away += millis
    if (this.away > (this.options.lostMillisMax ?? lostUsualMillisMax)) throw error
    await this.transport.wait(Math.min(millis, pauseMillisMax), this.options.signal)
  }
}

/** Opens a stream, and opens it again when its connection is lost, until it ends or its signal does. */
export async function* openStream<Data>(
  transport: Transport,
  name: OperationName,
  input: object,
  options: StreamOptions
): AsyncGenerator<StreamItem<Data>> {
  const { signal } = options
  const resumption = new Resumption(transport, options)
  const isEnded = (): boolean => signal?.aborted === true
  while (!isEnded()) {
    const watch = new Watch()
    try {
      for await (const block of connection(transport, name, input, resumption, watch, signal)) {
        resumption.heard(block)
        const item = itemOf<Data>(block)
        if (item?.type === "end" && passing.has(item.reason)) break
        if (item !== undefined) yield item
        if (item?.type === "end") return
      }
      await resumption.pause(new ConnectionFailed(name, transport.url, new Error("the stream was closed")))
    } catch (error) {
      if (isEnded()) return
      if (!isFailure(error)) throw error
      await resumption.pause(error).catch((reason: unknown) => {
        if (!isEnded()) throw reason
      })
    } finally {
      watch.stop()
    }
  }
}

/** The blocks of one connection. */
async function* connection(
  transport: Transport,
  name: OperationName,
  input: object,
  resumption: Resumption,
  watch: Watch,
  signal: AbortSignal | undefined
): AsyncGenerator<ServerSentEvent> {
  const { place } = resumption
  const headers: Record<string, string> = place === undefined ? {} : { "last-event-id": place }
  const request = prepare(transport.url, operationOf(name), input as Member, { headers })
  const either = signal === undefined ? watch.signal : AbortSignal.any([signal, watch.signal])
  const opened = async (response: Response) => {
    const { body, headers } = response
    // a proxy's page has blank lines too, each of which would count as a sign of the stream's life
    const isStream = /^text\/event-stream\b/iu.test(headers.get("content-type") ?? "")
    if (body === null || !isStream) throw await refusalOf(transport, name, response)
    return body
  }
  const body = await attempt(transport, name, request, either, transport.timeoutMillis, opened)
  resumption.open()
  watch.heard()
  const blocks = serverSentEvents(body)
  try {
    for (;;) {
      const next = await blocks.next().catch((cause: unknown) => {
        throw cause instanceof RangeError ? cause : new ConnectionFailed(name, transport.url, cause)
      })
      if (next.done === true) return
      watch.heard()
      yield next.value
    }
  } finally {
    await blocks.return(undefined)
  }
}
