/**
 * Tells the hub what happens in the logs that it listens to. Owns the subscriptions of one connection and when each
 * frame of theirs goes out; logs.ts owns the logs.
 */
import type { Clock } from "./clock.ts"
import type { EventLog } from "./event-log.ts"
import { logFrameBytesMax, logFrameEventsMax, logGatherMillis, logSubscriptionsMax } from "./limits.ts"
import { LogPace } from "./log-pace.ts"
import { keyOf, type Logs } from "./logs.ts"
import { frameText, type LogName } from "./wire.ts"

/** What it needs of its daemon. */
export interface LogPushMeans {
  readonly clock: Clock
  readonly logs: Logs
  /** Sends a frame; false while not connected. */
  readonly send: (text: string) => boolean
}

interface Subscription {
  readonly name: LogName
  deltas: boolean
  /** What it listens to; undefined before the first answer. */
  log: EventLog | undefined
  /** Up to where it was told. */
  cursor: number
  /** The hub asked where the log stands. */
  isAsked: boolean
}

/** The logs that the hub listens to. */
export class LogPush {
  readonly #means: LogPushMeans
  readonly #listening = new Map<string, Subscription>()
  /** Those that may have something to tell, the one first that has waited longest. */
  readonly #due = new Set<string>()
  #pace: LogPace | undefined
  #cancel: (() => void) | undefined

  constructor(means: LogPushMeans) {
    this.#means = means
  }

  /** A new connection: the hub listens to nothing yet. */
  admitted(): void {
    this.lost()
    this.#pace = new LogPace(this.#means.clock.steady())
  }

  /** The connection is gone, and all its subscriptions. */
  lost(): void {
    this.#listening.clear()
    this.#due.clear()
    this.#pace = undefined
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** The hub wants to hear of a log from now on; told at once where it stands. */
  subscribe(name: LogName, deltas: boolean): void {
    if (this.#pace === undefined) return
    const key = keyOf(name)
    const known = this.#listening.get(key)
    if (known === undefined && this.#listening.size >= logSubscriptionsMax) return this.#send(goneFrame(name))
    this.#listening.set(key, {
      ...(known ?? { name, log: undefined, cursor: 0 }),
      deltas,
      isAsked: true
    })
    this.#due.add(key)
    this.#push()
  }

  /** The hub wants to hear of it no more. */
  unsubscribe(name: LogName): void {
    this.#listening.delete(keyOf(name))
    this.#due.delete(keyOf(name))
  }

  /** Something happened in a log, or it is gone. */
  touched(name: LogName): void {
    const key = keyOf(name)
    if (!this.#listening.has(key)) return
    this.#due.add(key)
    this.#later(logGatherMillis)
  }

  #later(millis: number): void {
    if (this.#cancel !== undefined) return
    this.#cancel = this.#means.clock.after(millis, () => {
      this.#cancel = undefined
      this.#push()
    })
  }

  /** Sends what is due, as fast as the hub allows: where logs stand first, then one frame of each in turn. */
  #push(): void {
    const pace = this.#pace
    if (pace === undefined) return
    const now = this.#means.clock.steady()
    const due = [...this.#due].map((key) => ({ key, one: this.#listening.get(key)! }))
    for (const { key, one } of due.sort((a, b) => Number(b.one.isAsked) - Number(a.one.isAsked))) {
      if (!pace.isFree(now)) break
      this.#due.delete(key)
      if (this.#tell(one)) this.#due.add(key)
    }
    if (this.#due.size > 0) this.#later(Math.max(logGatherMillis, pace.wait(now)))
  }

  /** Sends the next frame of a log, or where it stands; whether there is more. */
  #tell(one: Subscription): boolean {
    const { name, deltas, isAsked } = one
    const log = this.#means.logs.find(name)
    if (log === undefined) {
      // to find that its time is over has told us of it once more
      this.unsubscribe(name)
      this.#send(goneFrame(name))
      return false
    }
    if (one.log !== log) {
      one.log = log
      one.cursor = log.lastSeq
    }
    one.isAsked = false
    const { logId, lastSeq } = log
    const page = log.read({ after: one.cursor, limit: logFrameEventsMax, bytes: logFrameBytesMax, deltas })
    one.cursor = page.cursor
    if (isAsked || page.events.length > 0) {
      this.#send(frameText("log_events", { log: name, logId, lastSeq, events: page.events }))
    }
    return page.more
  }

  #send(text: string): void {
    this.#pace?.take(this.#means.clock.steady(), Buffer.byteLength(text))
    this.#means.send(text)
  }
}

const goneFrame = (log: LogName): string => frameText("log_events", { log, logId: null, lastSeq: 0, events: [] })
