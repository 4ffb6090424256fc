/**
 * HTTP requests at a chosen rate or as fast as they are answered, over kept-alive raw connections. Owns the clock of
 * arrivals: at a rate, each request has its moment, and its latency counts from that moment, also when it had to wait
 * for a connection or for the generator itself (no coordinated omission).
 */
import type { Socket } from "node:net"
import { build, type Histogram } from "hdr-histogram-js"
import { dial, whenOpen } from "./dial.ts"

/** What to ask, of whom, how. */
export interface Load {
  readonly url: string
  /** Further nodes that the connections are spread over. */
  readonly others?: ReadonlyArray<string>
  /** Whole requests, head and body; taken in turn. */
  readonly requests: ReadonlyArray<string>
  readonly connections: number
  readonly seconds: number
  /** Requests a second, open loop; absent: each connection asks again once it is answered. */
  readonly rate?: number
  /** The connections stand before the first request and take turns, as those of callers that keep theirs. */
  readonly standing?: boolean
  /** Arrivals are good to a millisecond only, and waiting for them takes no CPU. */
  readonly coarse?: boolean
}

/** What came of it. Latencies in milliseconds. */
export interface Answers {
  readonly answered: number
  readonly perSecond: number
  readonly statuses: Readonly<Record<string, number>>
  readonly latency: Latency
  /**
   * How long after its moment a request went out: the generator's own share of the latency, and of a want of
   * connections.
   */
  readonly late: Latency
  /** Per second of the run: answers and p99. */
  readonly timeline: ReadonlyArray<{
    readonly second: number
    readonly perSecond: number
    readonly p99: number
    /** The p99 of being late. */
    readonly late: number
  }>
}

/** A distribution, in milliseconds. */
export interface Latency {
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly p999: number
  readonly max: number
  /** Share of answers and the latency that many had or less, for a chart. */
  readonly curve: ReadonlyArray<readonly [share: number, millis: number]>
}

const lost = "lost"
const waitMillisMax = 65_000
const highestMicros = 120_000_000
const preciseMillis = 2
const shares = [0, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.99, 100]

const histogram = (): Histogram =>
  build({ lowestDiscernibleValue: 1, highestTrackableValue: highestMicros, numberOfSignificantValueDigits: 3 })

const microsOf = (millis: number): number => Math.min(highestMicros, Math.max(1, Math.round(millis * 1_000)))

const latencyOf = (of: Histogram): Latency => {
  const at = (share: number): number => of.getValueAtPercentile(share) / 1_000
  return {
    p50: at(50),
    p90: at(90),
    p99: at(99),
    p999: at(99.9),
    max: of.maxValue / 1_000,
    curve: of.totalCount === 0 ? [] : shares.map((share) => [share, at(share)] as const)
  }
}

/** One connection: a request out, its answer in. */
export class Connection {
  #socket: Socket | undefined
  #rest: Buffer | undefined
  #missing = -1
  #status = ""
  #done: ((status: string) => void) | undefined
  readonly #url: URL
  readonly #from: string | undefined

  /** `from`: the address to connect from, where the system is not to choose it. */
  constructor(url: URL, from?: string) {
    this.#url = url
    this.#from = from
  }

  ask(request: string, done: (status: string) => void): void {
    this.#done = done
    this.#missing = -1
    this.#socket ??= this.#open()
    this.#socket.write(request)
  }

  /** Ends when the connection stands; where it could not be had, the first request tries again. */
  stand(): Promise<void> {
    return new Promise((done) => {
      this.#socket ??= this.#open()
      whenOpen(this.#socket, done)
      this.#socket.once("close", done)
    })
  }

  close(): void {
    this.#done = undefined
    this.#socket?.destroy()
  }

  #open(): Socket {
    const socket = dial(this.#url, this.#from)
    socket.on("error", () => socket.destroy())
    socket.on("close", () => {
      if (this.#socket === socket) this.#socket = undefined
      this.#answered(lost)
    })
    socket.on("data", (chunk) => this.#bytes(chunk))
    return socket
  }

  #answered(status: string): void {
    const done = this.#done
    this.#done = undefined
    this.#rest = undefined
    done?.(status)
  }

  #bytes(chunk: Buffer): void {
    if (this.#missing >= 0) this.#missing -= chunk.length
    else {
      const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
      const end = bytes.indexOf("\r\n\r\n")
      if (end < 0) {
        this.#rest = bytes
        return
      }
      const head = bytes.toString("latin1", 0, end)
      this.#status = head.slice(9, 12)
      const length = /\r\ncontent-length: *(\d+)/iu.exec(head)
      this.#missing = Number(length?.[1] ?? 0) - (bytes.length - end - 4)
    }
    if (this.#missing <= 0) this.#answered(this.#status)
  }
}

/**
 * Runs a load to its end, or until `enough` is aborted; what is not answered within a command's longest wait is lost.
 */
export const run = async (load: Load, enough?: AbortSignal): Promise<Answers> => {
  const urls = [load.url, ...(load.others ?? [])].map((url) => new URL(url))
  const [all, allLate] = [histogram(), histogram()]
  let [part, partLate] = [histogram(), histogram()]
  const timeline: Array<Answers["timeline"][number]> = []
  const statuses: Record<string, number> = {}
  let answered = 0
  let asked = 0
  const free = Array.from({ length: load.connections }, (_, at) => new Connection(urls[at % urls.length]!))
  const connections = [...free]
  if (load.standing === true) await Promise.all(connections.map((connection) => connection.stand()))
  const started = performance.now()
  const ends = started + load.seconds * 1_000
  const waiting: Array<number> = []

  const note = (status: string, since: number): void => {
    const now = performance.now()
    answered++
    statuses[status] = (statuses[status] ?? 0) + 1
    const micros = microsOf(now - since)
    all.recordValue(micros)
    part.recordValue(micros)
  }
  const ask = (connection: Connection, since: number): void => {
    const late = microsOf(performance.now() - since)
    allLate.recordValue(late)
    partLate.recordValue(late)
    connection.ask(load.requests[asked++ % load.requests.length]!, (status) => {
      note(status, since)
      const next = waiting.shift()
      if (next !== undefined) ask(connection, next)
      else if (load.rate === undefined && performance.now() < ends) ask(connection, performance.now())
      else free.push(connection)
    })
  }
  const arrive = (due: number): void => {
    // over several nodes, or where all stand, each connection has its turn; else the hot one is taken
    const connection = urls.length > 1 || load.standing === true ? free.shift() : free.pop()
    if (connection === undefined) waiting.push(due)
    else ask(connection, due)
  }
  const everySecond = setInterval(() => {
    timeline.push({
      second: timeline.length + 1,
      perSecond: part.totalCount,
      p99: part.getValueAtPercentile(99) / 1_000,
      late: partLate.getValueAtPercentile(99) / 1_000
    })
    part = histogram()
    partLate = histogram()
  }, 1_000)

  if (load.rate === undefined) for (const connection of free.splice(0)) ask(connection, performance.now())
  else await arrivals(load, started, arrive, enough)
  const patience = performance.now() + waitMillisMax
  while (free.length < connections.length && performance.now() < patience) await new Promise((go) => setTimeout(go, 2))
  const seconds = (Math.max(enough?.aborted ? 0 : ends, performance.now()) - started) / 1_000
  clearInterval(everySecond)
  for (const connection of connections) connection.close()
  const [latency, late] = [latencyOf(all), latencyOf(allLate)]
  return { answered, perSecond: answered / seconds, statuses, latency, late, timeline }
}

/** Calls `arrive` at each moment of the rate, spinning over the last stretch: a timer is only good to a millisecond. */
const arrivals = async (
  { rate = 1, seconds, coarse }: Load,
  started: number,
  arrive: (due: number) => void,
  enough: AbortSignal | undefined
): Promise<void> => {
  const stepMillis = 1_000 / rate
  const total = Math.round(rate * seconds)
  const spinMillis = coarse === true ? 0 : preciseMillis
  for (let count = 0; count < total && enough?.aborted !== true; ) {
    const due = started + count * stepMillis
    const left = due - performance.now()
    if (left <= 0) {
      arrive(due)
      count++
    } else if (left > spinMillis) await new Promise((go) => setTimeout(go, left - spinMillis))
    else await new Promise((go) => setImmediate(go))
  }
}
