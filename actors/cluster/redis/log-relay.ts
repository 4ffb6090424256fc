/**
 * Logs of daemons on other nodes. The node that reads asks the daemon's node for a log and renews that; the other sends
 * what it hears, and stops when it is not asked any more. Owns both sides of that lease, and the count by which a lost
 * message is noticed.
 */
import { randomBytes } from "node:crypto"
import { Effect, type Scope } from "effect"
import type { RedisTransport } from "../../../src/bus/redis-transport.ts"
import type { LogFrame } from "../../../src/domain/log/log.ts"
import type {
  LogAsked,
  LogListener,
  LogRefusal,
  LogSource,
  LogSubscription
} from "../../../src/domain/log/log-listener.ts"
import { logLeaseMillis, logLeaseRenewMillis, logRelaysMax } from "../../../src/limits/logs.ts"
import { readLogFrame } from "../../../src/protocol/log-frames.ts"
import type { Timer, Timers } from "../../../src/runtime/timers.ts"

/** The logs that other nodes have. */
export interface LogRelay {
  /** Listens to a log of a daemon on that node. That the daemon is not there is told as the end of its connection. */
  readonly subscribe: (node: string, asked: LogAsked, listener: LogListener) => LogSubscription
}

type Wire = Pick<RedisTransport["Service"], "tellNode" | "hear" | "gaps">

/** To the node of the daemon. */
interface Asking {
  readonly id: string
  readonly ask: "subscribe" | "renew" | "want" | "close"
  readonly asked?: LogAsked
  readonly deltas?: boolean
}

/** From it. `sent`: so many frames were sent, with this one. */
interface Saying {
  readonly id: string
  readonly frame?: Readonly<Record<string, unknown>>
  readonly doubt?: true
  readonly refused?: LogRefusal
  readonly gone?: true
  readonly sent?: number
}

const ignored = (): void => {}

/** What this node reads at others. */
class Reading {
  heard = 0
  timer: Timer | undefined
  readonly node: string
  readonly listener: LogListener
  answeredAt: number

  constructor(node: string, listener: LogListener, now: number) {
    this.node = node
    this.listener = listener
    this.answeredAt = now
  }
}

/** The side that reads. */
const makeReadings = (wire: Wire, timers: Pick<Timers["Service"], "after" | "monotonic">) => {
  const readings = new Map<string, Reading>()
  const prefix = `${randomBytes(6).toString("hex")}:`
  let made = 0

  const drop = (id: string): Reading | undefined => {
    const reading = readings.get(id)
    readings.delete(id)
    reading?.timer?.clear()
    return reading
  }
  const ask = (node: string, asking: Asking): void =>
    wire.tellNode(node, "log", JSON.stringify(asking), () => drop(asking.id)?.listener.gone())

  const renew = (id: string, reading: Reading): void => {
    reading.timer = timers.after(logLeaseRenewMillis, () => {
      if (timers.monotonic() - reading.answeredAt > logLeaseMillis) return drop(id)?.listener.gone()
      renew(id, reading)
      ask(reading.node, { id, ask: "renew" })
    })
  }

  const hear = (saying: Saying): void => {
    const { id, frame, sent, refused } = saying
    const reading = readings.get(id)
    if (reading === undefined) return
    reading.answeredAt = timers.monotonic()
    if (frame !== undefined) {
      reading.heard++
      if (sent !== undefined && sent !== reading.heard) {
        reading.heard = sent
        reading.listener.doubt()
      }
      const read = readLogFrame(frame, Number(frame["chars"]), Number(frame["cost"]))
      if (read === undefined) reading.listener.doubt()
      else reading.listener.hear(read.read)
    } else if (saying.gone === true) drop(id)?.listener.gone()
    else if (refused !== undefined) drop(id)?.listener.refused(refused)
    else if (saying.doubt === true || (sent !== undefined && sent !== reading.heard)) {
      reading.heard = sent ?? reading.heard
      reading.listener.doubt()
    }
  }

  const subscribe = (node: string, asked: LogAsked, listener: LogListener): LogSubscription => {
    const id = prefix + String(made++)
    const reading = new Reading(node, listener, timers.monotonic())
    readings.set(id, reading)
    renew(id, reading)
    ask(node, { id, ask: "subscribe", asked })
    return {
      want: (deltas) => {
        if (readings.has(id)) ask(node, { id, ask: "want", deltas })
      },
      close: () => {
        if (drop(id) !== undefined) wire.tellNode(node, "log", JSON.stringify({ id, ask: "close" }), ignored)
      }
    }
  }
  return { subscribe, hear, all: () => [...readings.values()] }
}

const frameOf = ({ log, logId, lastSeq, events, chars, cost }: LogFrame) => ({
  chars,
  cost,
  log,
  logId,
  lastSeq,
  events: events.map(({ given }) => given)
})

interface Relayed {
  readonly subscription: LogSubscription
  /** Says how many frames were sent. */
  readonly answer: () => void
  lease: Timer
}

/** The side that has the daemon. */
const makeRelays = (wire: Wire, timers: Pick<Timers["Service"], "after">, here: LogSource) => {
  const relays = new Map<string, Relayed>()

  const subscribe = (from: string, id: string, asked: LogAsked): void => {
    const key = `${from} ${id}`
    const say = (saying: Omit<Saying, "id">): void =>
      wire.tellNode(from, "log_said", JSON.stringify({ id, ...saying }), (surely) => {
        if (surely) end(key)
      })
    if (relays.size >= logRelaysMax) return say({ refused: "full" })
    let sent = 0
    let isOver = false
    const over = (saying: Omit<Saying, "id">): void => {
      isOver = true
      end(key, false)
      say(saying)
    }
    const listener: LogListener = {
      hear: (frame) => {
        sent++
        say({ frame: frameOf(frame), sent })
      },
      doubt: () => say({ doubt: true }),
      refused: (refused) => over({ refused }),
      gone: () => over({ gone: true })
    }
    const subscription = here.subscribe(asked, listener)
    if (subscription === undefined) return say({ gone: true })
    if (isOver) return
    const lease = timers.after(logLeaseMillis, () => end(key))
    relays.set(key, { subscription, answer: () => say({ sent }), lease })
  }

  const end = (key: string, unsubscribes = true): void => {
    const relay = relays.get(key)
    relays.delete(key)
    relay?.lease.clear()
    if (unsubscribes) relay?.subscription.close()
  }

  const hear = (from: string, { id, ask, asked, deltas }: Asking): void => {
    const key = `${from} ${id}`
    const relay = relays.get(key)
    if (ask === "subscribe" && relay === undefined && asked !== undefined) return subscribe(from, id, asked)
    if (ask === "close") return end(key)
    if (relay === undefined) return wire.tellNode(from, "log_said", JSON.stringify({ id, gone: true }), ignored)
    relay.lease.clear()
    relay.lease = timers.after(logLeaseMillis, () => end(key))
    if (ask === "want") relay.subscription.want(deltas === true)
    relay.answer()
  }
  return { hear, size: () => relays.size }
}

/** Builds it. `here` is what this node has for the others. */
export const makeLogRelay = (
  wire: Wire,
  timers: Pick<Timers["Service"], "after" | "monotonic">,
  here: LogSource
): Effect.Effect<LogRelay & { readonly size: () => number }, never, Scope.Scope> =>
  Effect.gen(function* () {
    const readings = makeReadings(wire, timers)
    const relays = makeRelays(wire, timers, here)
    yield* wire.hear("log", ({ from, message }) => relays.hear(from, message as Asking))
    yield* wire.hear("log_said", ({ message }) => readings.hear(message as Saying))
    yield* wire.gaps((stands) => {
      if (stands) for (const { listener } of readings.all()) listener.doubt()
    })
    return { subscribe: readings.subscribe, size: relays.size }
  })
