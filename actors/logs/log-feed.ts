/**
 * One log on this node, for all who read it here: one subscription at its daemon, whose frames go to each stream, and
 * one read at a time of the same page. Owns how the daemon is found again when its connection ends. Keeps no event.
 */

import type { Buckets } from "../../src/domain/limits/buckets.ts"
import type { HeldBytes } from "../../src/domain/limits/held-bytes.ts"
import type { TokenBucket } from "../../src/domain/limits/token-bucket.ts"
import type { LogEndReason, LogFrame, LogName } from "../../src/domain/log/log.ts"
import type { LogAsked, LogListener, LogRefusal, LogSubscription } from "../../src/domain/log/log-listener.ts"
import type { Position } from "../../src/domain/log/position.ts"
import {
  logAgainMillis,
  logAgainMillisMax,
  logFanOutEventBytes,
  logOfflineMillisMax,
  logPageTurnBytes
} from "../../src/limits/logs.ts"
import type { Timer, Timers } from "../../src/runtime/timers.ts"
import { type LogReader, LogStream, type PageRead, type StreamFeed } from "./log-stream.ts"

/** What a feed works with. */
export interface FeedContext {
  readonly timers: Pick<Timers["Service"], "after" | "monotonic">
  /**
   * Listens to a log wherever its daemon is, and calls `then` once, at once if it is here; undefined: it is nowhere
   * now. What this returns gives it up.
   */
  readonly subscribe: (
    asked: LogAsked,
    listener: LogListener,
    then: (subscription: LogSubscription | undefined) => void
  ) => () => void
  /** What frames that wait for a page cost to hold, by account. */
  readonly held: Pick<HeldBytes, "take" | "give">
  /** What its logs may give to all readers, by account. */
  readonly fanOut: Buckets
  readonly read: (log: WhichLog, from: Position, deltas: boolean, then: (read: PageRead) => void) => void
  /** Its last reader has left. */
  readonly left: (feed: LogFeed) => void
}

/** A log of an account's daemon. */
export interface WhichLog {
  readonly accountId: string
  readonly daemonId: string
  readonly log: LogName
}

export class LogFeed implements StreamFeed {
  readonly which: WhichLog
  private readonly context: FeedContext
  private readonly streams = new Set<LogStream>()
  private readonly reads = new Map<string, Array<(read: PageRead) => void>>()
  private subscription: LogSubscription | undefined
  /** Gives up a look for the daemon. */
  private giveUp: (() => void) | undefined
  /** Where the daemon is looked for: what was found ended before it was handed over. */
  private isGone = false
  private again: Timer | undefined
  private pause = logAgainMillis
  private awaySince: number | undefined
  /** With the pieces of messages, as far as the daemon was asked. */
  private deltas = false
  /** Where the log stands, as far as it was said on this connection. */
  private stands: LogFrame["logId"] | undefined
  private lastSeq = 0
  /** Frames may have been lost since: who begins there now lacks them. */
  private isDoubted = false
  private readonly fanOut: TokenBucket
  private readonly listener: LogListener = {
    hear: (frame) => this.hear(frame),
    doubt: () => {
      this.isDoubted = true
      for (const stream of this.streams) stream.doubt()
    },
    refused: (why) => this.refused(why),
    gone: () => this.gone()
  }

  constructor(context: FeedContext, which: WhichLog) {
    this.context = context
    this.which = which
    this.fanOut = context.fanOut(which.accountId)
  }

  get timers(): FeedContext["timers"] {
    return this.context.timers
  }

  /** Whether a frame of such a cost may be held. */
  hold(cost: number): boolean {
    return this.context.held.take(this.which.accountId, cost)
  }

  /** What was held is no more. */
  release(cost: number): void {
    this.context.held.give(this.which.accountId, cost)
  }

  /** Adds a reader, which leaves by `remove`. */
  add(reader: LogReader, deltas: boolean, from: Position | undefined): LogStream {
    const stream = new LogStream(this, reader, deltas, from)
    this.streams.add(stream)
    if (this.streams.size === 1) this.attach()
    else {
      const { stands: logId, lastSeq } = this
      if (logId !== undefined) stream.hear({ logId, lastSeq, log: this.which.log, events: [], chars: 0, cost: 0 })
      if (this.isDoubted) stream.doubt()
      this.want()
    }
    return stream
  }

  /** Takes a reader away. */
  remove(stream: LogStream): void {
    if (!this.streams.delete(stream)) return
    stream.close()
    if (this.streams.size > 0) return this.want()
    this.detach()
    this.context.left(this)
  }

  /** Ends all streams. */
  end(reason: LogEndReason): void {
    for (const stream of [...this.streams]) {
      stream.end(reason)
      this.remove(stream)
    }
  }

  private wanted(): boolean {
    for (const { deltas } of this.streams) if (deltas) return true
    return false
  }

  private want(): void {
    const deltas = this.wanted()
    if (deltas === this.deltas || this.subscription === undefined) return
    this.deltas = deltas
    this.subscription.want(deltas)
  }

  private attach(): void {
    this.again?.clear()
    this.again = undefined
    this.deltas = this.wanted()
    this.isGone = false
    let isOver = false
    const giveUp = this.context.subscribe({ ...this.which, deltas: this.deltas }, this.listener, (subscription) => {
      isOver = true
      this.giveUp = undefined
      // refused at once
      if (this.streams.size === 0) return subscription?.close()
      if (subscription === undefined || this.isGone) return this.away()
      this.subscription = subscription
      this.want()
    })
    if (!isOver) this.giveUp = giveUp
  }

  private detach(): void {
    this.giveUp?.()
    this.giveUp = undefined
    this.again?.clear()
    this.again = undefined
    this.subscription?.close()
    this.subscription = undefined
    this.stands = undefined
    this.isDoubted = false
  }

  /** The daemon is nowhere: it is looked for again, for a while. */
  private away(): void {
    const { timers } = this.context
    this.awaySince ??= timers.monotonic()
    if (timers.monotonic() - this.awaySince >= logOfflineMillisMax) return this.end("daemon_offline")
    this.again = timers.after(this.pause, () => this.attach())
    this.pause = Math.min(logAgainMillisMax, this.pause * 2)
  }

  private gone(): void {
    this.isGone = true
    if (this.subscription === undefined && this.giveUp === undefined) return
    this.subscription = undefined
    this.stands = undefined
    this.isDoubted = false
    for (const stream of this.streams) stream.interrupt()
    this.reads.clear()
    if (this.giveUp === undefined) this.away()
  }

  private refused(why: LogRefusal): void {
    this.subscription = undefined
    this.end(why === "full" ? "overloaded" : "unsupported")
  }

  private hear(frame: LogFrame): void {
    this.awaySince = undefined
    this.pause = logAgainMillis
    const { logId, lastSeq, events } = frame
    const last = events.length === 0 ? 0 : events[events.length - 1]!.seq
    // members, not an object: what is kept from frame to frame would be promoted to the old generation
    this.stands = logId
    this.isDoubted = false
    this.lastSeq = Math.max(lastSeq, last)
    // without its events it says that there is more to read
    const given = this.affords(frame) ? frame : { ...frame, events: [], chars: 0, cost: 0 }
    for (const stream of this.streams) stream.hear(given)
    if (frame.logId === null) this.end("log_ended")
  }

  /** Whether all readers may be given it now: many readers of a busy log would take the node for themselves. */
  private affords({ chars, events }: LogFrame): boolean {
    if (events.length === 0) return true
    const cost = this.streams.size * (chars + events.length * logFanOutEventBytes)
    return this.fanOut.take(cost, this.timers.monotonic())
  }

  /** Gives a page to those who wait for it, to so many in a turn. */
  private give(read: PageRead, to: ReadonlyArray<(read: PageRead) => void>): void {
    let bytes = 0
    for (const [at, then] of to.entries()) {
      if (bytes > logPageTurnBytes) return void this.timers.after(0, () => this.give(read, to.slice(at)))
      then(read)
      if (typeof read === "object") for (const { sent } of read.events) bytes += sent?.length ?? 0
    }
  }

  /**
   * Reads a page for one stream, or for several that lack the same. Not with one that was asked for before the daemon
   * named another log: who asks now takes a page for newer than what was heard.
   */
  read(from: Position, deltas: boolean, then: (read: PageRead) => void): void {
    const key = JSON.stringify([this.stands, from.logId, from.seq, deltas])
    const waiting = this.reads.get(key)
    if (waiting !== undefined) return void waiting.push(then)
    const all = [then]
    this.reads.set(key, all)
    this.context.read(this.which, from, deltas, (read) => {
      if (this.reads.get(key) === all) this.reads.delete(key)
      this.give(read, all)
    })
  }
}
