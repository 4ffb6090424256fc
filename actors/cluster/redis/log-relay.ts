/**
 * Logs of daemons on other nodes, as requests that have many answers. The node that reads asks the daemon's node for a
 * log and renews that; the other answers with what it hears, and stops when it is not asked any more. Owns both sides
 * of that lease, and the count by which a lost answer is noticed; rpc.ts and rpc-server.ts carry the messages.
 */
import type { LogFrame } from "../../../src/domain/log/log.ts"
import type { LogAsked, LogListener, LogSubscription, SubscribeLog } from "../../../src/domain/log/log-listener.ts"
import { logLeaseMillis, logLeaseRenewMillis, logRelaysMax } from "../../../src/limits/logs.ts"
import { readLogFrame } from "../../../src/protocol/log-frames.ts"
import type { Timer, Timers } from "../../../src/runtime/timers.ts"
import type { Answer, LogAnswer, LogQuestion } from "./rpc-messages.ts"

/** Sends a message of one request to a node. `lost`: it did not arrive, surely or perhaps. */
type Send<M> = (node: string, id: string, message: M, lost: (surely: boolean) => void) => void

/** Told what an account's frame costs this node. */
export type Charge = (accountId: string, cost: number) => void

/** What this node reads at others. */
class Reading {
  heard = 0
  timer: Timer | undefined
  readonly node: string
  readonly accountId: string
  readonly listener: LogListener
  answeredAt: number

  constructor(node: string, accountId: string, listener: LogListener, now: number) {
    this.node = node
    this.accountId = accountId
    this.listener = listener
    this.answeredAt = now
  }
}

/** The logs that this node reads at others. */
export class LogReadings {
  private readonly readings = new Map<string, Reading>()
  private readonly ask: Send<LogQuestion>
  private readonly cancel: (node: string, id: string) => void
  private readonly timers: Pick<Timers["Service"], "after" | "monotonic">
  private readonly charge: Charge

  constructor(
    ask: Send<LogQuestion>,
    cancel: (node: string, id: string) => void,
    timers: Pick<Timers["Service"], "after" | "monotonic">,
    charge: Charge
  ) {
    this.charge = charge
    this.ask = ask
    this.cancel = cancel
    this.timers = timers
  }

  /** Listens to a log at that node. That the daemon is not there is told as the end of its connection. */
  subscribe(id: string, node: string, asked: LogAsked, listener: LogListener): LogSubscription {
    const reading = new Reading(node, asked.accountId, listener, this.timers.monotonic())
    this.readings.set(id, reading)
    this.renew(id, reading)
    this.put(id, reading, { ask: "log", log: asked })
    return {
      want: (deltas) => {
        if (this.readings.has(id)) this.put(id, reading, { ask: "log again", deltas })
      },
      close: () => {
        if (this.drop(id) !== undefined) this.cancel(node, id)
      }
    }
  }

  /** Takes an answer; false when it is to none of these requests. */
  receive(id: string, answer: Answer | undefined): boolean {
    const reading = this.readings.get(id)
    if (reading === undefined) return false
    reading.answeredAt = this.timers.monotonic()
    const { listener } = reading
    switch (answer?.is) {
      case "log frame": {
        reading.heard++
        this.count(reading, answer.sent)
        const cost = Number(answer.frame["cost"])
        // its daemon's node took it; it was parsed here again
        if (cost > 0) this.charge(reading.accountId, cost)
        const read = readLogFrame(answer.frame, Number(answer.frame["chars"]), cost)
        if (read === undefined) listener.doubt()
        else listener.hear(read.read)
        return true
      }
      case "log doubt":
        listener.doubt()
        return true
      case "log renewed":
        this.count(reading, answer.sent)
        return true
      case "log refused":
        this.drop(id)?.listener.refused(answer.why)
        return true
      default:
        // its connection is over, or its node has ended
        this.drop(id)?.listener.gone()
        return true
    }
  }

  /** Messages may have been lost. */
  doubt(): void {
    for (const { listener } of [...this.readings.values()]) listener.doubt()
  }

  private count(reading: Reading, sent: number): void {
    if (sent === reading.heard) return
    reading.heard = sent
    reading.listener.doubt()
  }

  private drop(id: string): Reading | undefined {
    const reading = this.readings.get(id)
    this.readings.delete(id)
    reading?.timer?.clear()
    return reading
  }

  private put(id: string, { node }: Reading, question: LogQuestion): void {
    this.ask(node, id, question, () => this.drop(id)?.listener.gone())
  }

  private renew(id: string, reading: Reading): void {
    reading.timer = this.timers.after(logLeaseRenewMillis, () => {
      if (this.timers.monotonic() - reading.answeredAt > logLeaseMillis) return this.drop(id)?.listener.gone()
      this.renew(id, reading)
      this.put(id, reading, { ask: "log again" })
    })
  }
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
  readonly renewed: () => void
  lease: Timer
}

/** The logs that other nodes read here. */
export class LogRelays {
  private readonly relays = new Map<string, Relayed>()
  private readonly answer: Send<LogAnswer>
  private readonly timers: Pick<Timers["Service"], "after">
  private readonly here: SubscribeLog

  constructor(answer: Send<LogAnswer>, timers: Pick<Timers["Service"], "after">, here: SubscribeLog) {
    this.answer = answer
    this.timers = timers
    this.here = here
  }

  get size(): number {
    return this.relays.size
  }

  /** A question of another node. */
  receive(from: string, id: string, question: LogQuestion): void {
    const key = `${from} ${id}`
    const relay = this.relays.get(key)
    if (question.ask === "log" && relay === undefined) return this.subscribe(from, id, question.log)
    if (relay === undefined) return this.answer(from, id, { is: "log gone" }, () => {})
    relay.lease.clear()
    relay.lease = this.timers.after(logLeaseMillis, () => this.end(key))
    if (question.ask === "log again" && question.deltas !== undefined) relay.subscription.want(question.deltas)
    relay.renewed()
  }

  /** The other node reads no more. */
  cancel(from: string, id: string): void {
    this.end(`${from} ${id}`)
  }

  private subscribe(from: string, id: string, asked: LogAsked): void {
    const key = `${from} ${id}`
    const lost = (surely: boolean): void => {
      if (surely) this.end(key)
    }
    const say = (answer: LogAnswer): void => this.answer(from, id, answer, lost)
    if (this.relays.size >= logRelaysMax) return say({ is: "log refused", why: "full" })
    let sent = 0
    let isOver = false
    const over = (answer: LogAnswer): void => {
      isOver = true
      this.end(key, false)
      say(answer)
    }
    const subscription = this.here(asked, {
      hear: (frame) => say({ is: "log frame", frame: frameOf(frame), sent: ++sent }),
      doubt: () => say({ is: "log doubt" }),
      refused: (why) => over({ is: "log refused", why }),
      gone: () => over({ is: "log gone" })
    })
    if (subscription === undefined) return say({ is: "log gone" })
    if (isOver) return
    const lease = this.timers.after(logLeaseMillis, () => this.end(key))
    this.relays.set(key, { subscription, renewed: () => say({ is: "log renewed", sent }), lease })
  }

  private end(key: string, unsubscribes = true): void {
    const relay = this.relays.get(key)
    this.relays.delete(key)
    relay?.lease.clear()
    if (unsubscribes) relay?.subscription.close()
  }
}
