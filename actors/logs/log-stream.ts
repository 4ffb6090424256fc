/**
 * One reader of a log: what it has seen, what it lacks, and what waits until that is read. Owns the order of what a
 * reader is told; position.ts has the rules. Writes to no socket and asks no daemon: its feed does.
 */
import type { LogPlace } from "../../src/domain/log/cursor.ts"
import type { LogEndReason, LogEvent, LogFrame, LogPage } from "../../src/domain/log/log.ts"
import {
  type FrameStep,
  forceFrame,
  type GapReason,
  leaveOlder,
  type Passed,
  type Position,
  positionAt,
  startOf,
  takeFrame,
  takePage
} from "../../src/domain/log/position.ts"
import {
  logAgainMillis,
  logAgainMillisMax,
  logDoubtMillis,
  logDrainLookMillis,
  logDrainLooksMax,
  logFrameOverheadBytes,
  logHeldCostMax,
  logPagesMax,
  logReadTriesMax
} from "../../src/limits/logs.ts"
import { count } from "../../src/runtime/metrics.ts"
import type { Timer, Timers } from "../../src/runtime/timers.ts"

/** A reader. It is told in order and must not block. */
export interface LogReader {
  /** There is such a log. Where the reader begins: what comes is behind that. */
  readonly begin: (place: LogPlace) => void
  readonly event: (event: LogEvent, logId: string) => void
  /** Something behind this place is not to be had. */
  readonly gap: (reason: GapReason, after: LogPlace) => void
  readonly end: (reason: LogEndReason) => void
  /** More waits for it to be read than a further page should come to. */
  readonly isBehind: () => boolean
  /** It keeps up, and was given as much in this turn of the event loop as is good for all others. */
  readonly hasEnough: () => boolean
}

/** What comes of reading a page. */
export type PageRead = LogPage | "absent" | "unsupported" | "failed"

/** What a stream needs of its feed. */
export interface StreamFeed {
  readonly timers: Pick<Timers["Service"], "after">
  /** Whether a frame of such a cost may be held. */
  readonly hold: (cost: number) => boolean
  readonly release: (cost: number) => void
  /** Reads a page behind this position. */
  readonly read: (from: Position, deltas: boolean, then: (read: PageRead) => void) => void
}

export class LogStream {
  readonly deltas: boolean
  private readonly feed: StreamFeed
  private readonly reader: LogReader
  /** Where it is, member by member: an object kept from frame to frame would be promoted to the old generation. */
  private logId: string | undefined
  private seq = 0
  private former: Position["former"] = startOf.former
  /** Whether it has a position; else it begins where the log stands. */
  private isPlaced = false
  private begun = false
  private over = false
  /** Which read is under way; one that was given up is not heard. */
  private reading: object | undefined
  /** Frames may have been lost since that read was asked for. */
  private isDoubted = false
  private pages = 0
  private tries = 0
  private held: Array<LogFrame> = []
  private heldCost = 0
  /** How many of them came before that read was asked for. */
  private heldBeforeRead = 0
  /** Where a frame left a hole after a page was read: the next time it is a gap. */
  private stuck: Position | undefined
  private timer: Timer | undefined

  constructor(feed: StreamFeed, reader: LogReader, deltas: boolean, from: Position | undefined) {
    this.feed = feed
    this.reader = reader
    this.deltas = deltas
    this.position = from
  }

  private get position(): Position | undefined {
    return this.isPlaced ? { logId: this.logId, seq: this.seq, former: this.former } : undefined
  }

  private set position(position: Position | undefined) {
    if (position === undefined) return
    this.isPlaced = true
    this.logId = position.logId
    this.seq = position.seq
    this.former = position.former
  }

  /** Its log goes on, or says where it stands. */
  hear(frame: LogFrame): void {
    if (this.over) return
    const { logId } = frame
    if (logId === null) return this.end("log_ended")
    if (!this.isPlaced) {
      const first = frame.events[0]
      this.position = positionAt({ logId, seq: first === undefined ? frame.lastSeq : first.seq - 1 })
    }
    if (!this.begun) {
      this.begun = true
      this.reader.begin({ logId: this.logId ?? logId, seq: this.seq })
    }
    // without pieces numbers skip on purpose: what comes after a doubt must not be taken before that is read
    if (this.reading !== undefined || (this.timer !== undefined && !this.deltas)) this.hold(frame)
    else if (this.reader.hasEnough()) this.doubt()
    else this.follow(takeFrame(this.position!, frame, this.deltas), frame)
  }

  /** Frames may have been lost. */
  doubt(): void {
    if (this.reading !== undefined) this.isDoubted = true
    if (this.over || this.reading !== undefined || this.timer !== undefined || !this.isPlaced) return
    this.timer = this.feed.timers.after(logDoubtMillis, () => {
      this.timer = undefined
      this.read()
    })
  }

  /** The daemon is away: what is under way comes to nothing, and what is missing is read when it is back. */
  interrupt(): void {
    this.reading = undefined
    this.isDoubted = false
    this.pages = 0
    this.tries = 0
    this.drop()
    this.timer?.clear()
    this.timer = undefined
  }

  /** Ends it, and tells its reader. */
  end(reason: LogEndReason): void {
    if (this.over) return
    this.close()
    count("hub_log_streams_ended_total", reason)
    this.reader.end(reason)
  }

  /** Its reader has left. */
  close(): void {
    this.over = true
    this.interrupt()
  }

  private drop(): void {
    this.held = []
    this.feed.release(this.heldCost)
    this.heldCost = 0
    this.heldBeforeRead = 0
  }

  /** Of the newest at least where it ends is kept: that says that there is more. */
  private hold(frame: LogFrame): void {
    const cost = frame.cost + logFrameOverheadBytes
    if (this.heldCost + cost > logHeldCostMax) this.drop()
    if (this.feed.hold(cost)) {
      this.held.push(frame)
      this.heldCost += cost
    } else {
      this.drop()
      this.held.push({ ...frame, events: [], chars: 0, cost: 0 })
    }
  }

  private follow(step: FrameStep, frame: LogFrame): void {
    this.position = step.position
    if (step.repeated > 0) count("hub_log_dropped_total", "repeated", step.repeated)
    this.pass(step.passed)
    if (this.over) return
    if (step.next === "doubt") this.doubt()
    if (step.next !== "read") return
    this.hold(frame)
    this.read()
  }

  private pass(passed: ReadonlyArray<Passed>): void {
    for (const one of passed) {
      if (this.over) return
      if ("gap" in one) this.tellGap(one.gap, one.after)
      else if (this.deltas || !one.isDelta) this.reader.event(one, this.logId ?? "")
    }
  }

  private tellGap(reason: GapReason, { logId, seq }: Position): void {
    count("hub_log_gaps_total")
    this.reader.gap(reason, { logId: logId ?? "", seq })
  }

  private read(): void {
    const { position } = this
    if (position === undefined || this.over) return
    const reading = {}
    this.reading = reading
    this.heldBeforeRead = this.held.length
    this.isDoubted = false
    this.timer?.clear()
    this.timer = undefined
    this.feed.read(position, this.deltas, (read) => {
      if (this.reading === reading) this.take(position, read)
    })
  }

  private take(from: Position, read: PageRead): void {
    if (read === "absent") return this.end("log_ended")
    if (read === "unsupported") return this.end("unsupported")
    if (read === "failed") return this.fail()
    this.tries = 0
    const step = takePage(from, read, this.deltas)
    const isTaken = step.position.logId === read.logId
    this.position = isTaken ? leaveOlder(step.position, this.held.slice(0, this.heldBeforeRead)) : step.position
    this.pass(step.passed)
    if (this.over) return
    if (!step.more) return this.join(false)
    if (++this.pages < logPagesMax) return this.readOn(0)
    const position = this.position!
    this.tellGap("not_kept", position)
    this.position = { ...position, seq: Math.max(position.seq, read.lastSeq) }
    this.join(false)
  }

  /** Reads the next page, once the reader has taken most of what it was given. */
  private readOn(looks: number): void {
    if (!this.reader.isBehind()) return this.read()
    if (looks >= logDrainLooksMax) return this.end("slow_reader")
    this.timer = this.feed.timers.after(logDrainLookMillis, () => {
      this.timer = undefined
      this.readOn(looks + 1)
    })
  }

  private fail(): void {
    if (++this.tries >= logReadTriesMax) return this.join(true)
    const pause = Math.min(logAgainMillisMax, logAgainMillis * 2 ** (this.tries - 1))
    this.timer = this.feed.timers.after(pause, () => {
      this.timer = undefined
      this.read()
    })
  }

  /** Nothing is left to read: on with what came meanwhile. `force`: what is missing is a gap. */
  private join(force: boolean): void {
    // the page may be older than what was lost since it was asked for
    if (this.isDoubted && !force) return this.read()
    this.reading = undefined
    this.pages = 0
    this.tries = 0
    const frames = this.held
    this.drop()
    for (const frame of frames) {
      const { position } = this
      if (this.over || position === undefined) return
      if (this.reading !== undefined) {
        this.hold(frame)
        continue
      }
      const { logId, seq } = position
      const again = force || (this.stuck !== undefined && this.stuck.logId === logId && this.stuck.seq === seq)
      const step = (again ? forceFrame : takeFrame)(position, frame, this.deltas)
      if (step.next === "read") this.stuck = step.position
      this.follow(step, frame)
    }
    if (this.reading === undefined) this.stuck = undefined
  }
}
