/**
 * Daemons that talk and readers of what they say, as a program of its own, told by its parent over IPC. One process
 * has both ends, so that one clock measures. Owns the order of what it is asked; ends when its parent is gone.
 */
import { build } from "hdr-histogram-js"
import { StreamReader } from "../load/stream-reader.ts"
import { TalkingDaemon } from "./talking-daemon.ts"

/** How long words took from one end to the other, in milliseconds. */
export interface Heard {
  readonly sent: number
  readonly received: number
  readonly p50: number
  readonly p99: number
}

/** What it may be asked. */
export interface StreamJobs {
  readonly daemons: {
    readonly asks: { readonly url: string; readonly tokens: ReadonlyArray<string>; readonly sessions: number }
    readonly gives: null
  }
  /** Opens a stream of each session. */
  readonly readers: { readonly asks: { readonly url: string; readonly key: string }; readonly gives: number }
  readonly talk: { readonly asks: { readonly perSecond: number; readonly seconds: number }; readonly gives: Heard }
  readonly leave: { readonly asks: null; readonly gives: null }
}

type Order = {
  [K in keyof StreamJobs]: { readonly id: number; readonly job: K; readonly asks: StreamJobs[K]["asks"] }
}[keyof StreamJobs]

const patienceMillis = 10_000
const atOnce = 50
let daemons: Array<TalkingDaemon> = []
let readers: Array<StreamReader> = []
let received = 0
let histogram = build({ lowestDiscernibleValue: 1, highestTrackableValue: 60_000_000 })

const now = (): number => Math.round(performance.now() * 1_000)
const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const arrived = (at: number): void => {
  received++
  histogram.recordValue(Math.max(1, now() - at))
}

/** Sessions of all daemons, no two of one daemon in a row. */
const sessionsInTurn = () => {
  const most = Math.max(0, ...daemons.map(({ sessions }) => sessions.length))
  return Array.from({ length: most }, (_, at) =>
    daemons.flatMap((daemon) => (at < daemon.sessions.length ? [{ daemon, session: daemon.sessions[at]! }] : []))
  ).flat()
}

const inWaves = async <A>(all: ReadonlyArray<A>, work: (one: A) => Promise<void>): Promise<void> => {
  for (let at = 0; at < all.length; at += atOnce) await Promise.all(all.slice(at, at + atOnce).map(work))
}

const openReaders = async (url: string, key: string): Promise<number> => {
  await inWaves(sessionsInTurn(), async ({ daemon, session }) => {
    const reader = new StreamReader(arrived)
    readers.push(reader)
    await reader.open(url, `/api/v1/daemons/${daemon.daemonId}/sessions/${session}/events/stream`, key)
  })
  return readers.length
}

const talk = async (perSecond: number, seconds: number): Promise<Heard> => {
  const all = sessionsInTurn()
  histogram = build({ lowestDiscernibleValue: 1, highestTrackableValue: 60_000_000 })
  received = 0
  const total = Math.round(perSecond * seconds)
  const started = performance.now()
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - started) / 1_000) * perSecond))
    for (; sent < due; sent++) {
      const { daemon, session } = all[sent % all.length]!
      daemon.say(session, now())
    }
    await pause(1)
  }
  const patience = performance.now() + patienceMillis
  while (received < total && performance.now() < patience) await pause(2)
  const at = (share: number): number => histogram.getValueAtPercentile(share) / 1_000
  return { sent: total, received, p50: at(50), p99: at(99) }
}

const perform = async (order: Order): Promise<unknown> => {
  switch (order.job) {
    case "daemons": {
      const { url, tokens, sessions } = order.asks
      daemons = tokens.map((token) => new TalkingDaemon(token, sessions))
      await inWaves(daemons, (daemon) => daemon.open(url))
      return null
    }
    case "readers":
      return openReaders(order.asks.url, order.asks.key)
    case "talk":
      return talk(order.asks.perSecond, order.asks.seconds)
    case "leave":
      for (const reader of readers) reader.close()
      for (const daemon of daemons) daemon.close()
      daemons = []
      readers = []
      return null
  }
}

process.on("message", (order: Order) => {
  perform(order).then(
    (gives) => process.send?.({ id: order.id, gives }),
    (error: unknown) => process.send?.({ id: order.id, failed: error instanceof Error ? error.message : String(error) })
  )
})
process.on("disconnect", () => process.exit(0))
process.on("SIGTERM", () => process.exit(0))
