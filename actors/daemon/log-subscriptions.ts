/**
 * The logs that one connection is asked for: who listens to each, and what the daemon may send of them. Owns that
 * bookkeeping and the budget; there is none as long as nobody asks. Pure, knows no clock.
 */

import { TokenBucket } from "../../src/domain/limits/token-bucket.ts"
import { keyOf, type LogName } from "../../src/domain/log/log.ts"
import type { LogListener } from "../../src/domain/log/log-listener.ts"
import {
  logBurstBytes,
  logBytesPerSecond,
  logFloodBurstBytes,
  logFloodBytesPerSecond,
  logFrameOverheadBytes,
  logsPerDaemonMax
} from "../../src/limits/logs.ts"
import { frameBudgetMillis } from "../../src/limits.ts"
import { encodeFrame } from "../../src/protocol/codec.ts"

interface Asked {
  readonly log: LogName
  /** As the daemon was told. */
  deltas: boolean
  readonly listeners: Map<LogListener, boolean>
}

const wants = (listeners: ReadonlyMap<LogListener, boolean>): boolean => {
  for (const deltas of listeners.values()) if (deltas) return true
  return false
}

const subscribeFrame = ({ log, deltas }: Asked): string =>
  encodeFrame({ type: "log_subscribe", data: { log: { kind: log.kind, id: log.id }, deltas } })

/** The subscriptions of one connection. */
export class LogSubscriptions {
  private readonly byKey = new Map<string, Asked>()
  private readonly budget: TokenBucket
  private readonly flood: TokenBucket
  /** Until then what was on its way when a subscription ended may still come. */
  private lateUntil = 0
  /** Frames were dropped since the last one that was taken, and those who listen know. */
  doubted = false

  constructor(now: number) {
    this.budget = new TokenBucket(logBytesPerSecond, logBurstBytes, now)
    this.flood = new TokenBucket(logFloodBytesPerSecond, logFloodBurstBytes, now)
  }

  get size(): number {
    return this.byKey.size
  }

  /** Adds a listener. The frame that tells the daemon, if it has to know; `full`: it sends too many logs already. */
  add(log: LogName, deltas: boolean, listener: LogListener): string | undefined | "full" {
    const key = keyOf(log)
    const known = this.byKey.get(key)
    if (known === undefined && this.byKey.size >= logsPerDaemonMax) return "full"
    const asked: Asked = known ?? { log, deltas, listeners: new Map() }
    asked.listeners.set(listener, deltas)
    this.byKey.set(key, asked)
    asked.deltas ||= deltas
    // asked again: the answer says where the log stands, to all who listen
    return subscribeFrame(asked)
  }

  /** Changes what a listener wants. */
  want(log: LogName, deltas: boolean, listener: LogListener): string | undefined {
    const asked = this.byKey.get(keyOf(log))
    if (asked?.listeners.has(listener) !== true) return undefined
    asked.listeners.set(listener, deltas)
    const all = wants(asked.listeners)
    if (all === asked.deltas) return undefined
    asked.deltas = all
    return subscribeFrame(asked)
  }

  /** Removes a listener; with the last one the daemon is told to stop. */
  remove(log: LogName, listener: LogListener, now: number): string | undefined {
    const key = keyOf(log)
    const asked = this.byKey.get(key)
    if (asked?.listeners.delete(listener) !== true) return undefined
    if (asked.listeners.size > 0) return this.want(log, wants(asked.listeners), [...asked.listeners.keys()][0]!)
    this.byKey.delete(key)
    this.lateUntil = now + frameBudgetMillis
    return encodeFrame({ type: "log_unsubscribe", data: { log: { kind: log.kind, id: log.id } } })
  }

  /** Who listens to a log. */
  of(log: LogName): Iterable<LogListener> | undefined {
    return this.byKey.get(keyOf(log))?.listeners.keys()
  }

  /** Everyone who listens to anything. */
  all(): ReadonlyArray<LogListener> {
    return [...this.byKey.values()].flatMap(({ listeners }) => [...listeners.keys()])
  }

  /** Whether a log that nobody asks for may still come. */
  mayBeLate(now: number): boolean {
    return now < this.lateUntil
  }

  /** Charges a frame. `dropped`: it is one too many; `flood`: far too many. */
  pay(bytes: number, now: number): "taken" | "dropped" | "flood" {
    const cost = bytes + logFrameOverheadBytes
    if (this.budget.take(cost, now)) return "taken"
    return this.flood.take(cost, now) ? "dropped" : "flood"
  }
}
