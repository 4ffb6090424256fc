/**
 * A log that several read against a model of its daemon, which sends, loses, repeats, forgets, numbers anew, fails,
 * goes and comes back: each reader sees each event once and in order, and is told of each that is not to be had.
 */
import { expect, it } from "vitest"
import { LogFeed } from "../../../actors/logs/log-feed.ts"
import type { LogReader, PageRead } from "../../../actors/logs/log-stream.ts"
import { makeBuckets } from "../../../src/domain/limits/buckets.ts"
import { HeldBytes } from "../../../src/domain/limits/held-bytes.ts"
import { LogEvent, type LogFrame, type LogPage } from "../../../src/domain/log/log.ts"
import type { LogListener } from "../../../src/domain/log/log-listener.ts"
import type { Position } from "../../../src/domain/log/position.ts"
import {
  logFanOutBurstBytes,
  logFanOutBytesPerSecond,
  logOfflineMillisMax,
  logReadTriesMax
} from "../../../src/limits/logs.ts"
import { playedTimers } from "../../support/played-timers.ts"
import { fc, forAll, modelRuns } from "../../support/properties.ts"

const log = { kind: "session", id: "s" } as const
const pageEvents = 3
/** Room for so few frames that streams have to go without. */
const heldOfFew = () => new HeldBytes(1_200, 1_200)
const eventsOf = (from: number, to: number): ReadonlyArray<LogEvent> =>
  Array.from(
    { length: Math.max(0, to - from + 1) },
    (_, at) => new LogEvent({ seq: from + at, type: "plan", timestamp: 1 })
  )

/** A reader that checks what it is told as it is told. */
class CheckingReader implements LogReader {
  ended: string | undefined
  logId: string | undefined
  seq = 0
  private isMarked = false
  private readonly daemon: ModelDaemon
  private readonly turn: { isLong: boolean }

  constructor(daemon: ModelDaemon, turn: { isLong: boolean }) {
    this.daemon = daemon
    this.turn = turn
  }

  begin = ({ logId, seq }: { readonly logId: string; readonly seq: number }): void => {
    this.logId = logId
    this.seq = seq
  }
  event = ({ seq }: LogEvent, logId: string): void => {
    const { daemon } = this
    const known = logId === this.logId ? this.seq : 0
    expect(this.ended).toBeUndefined()
    expect(seq).toBeGreaterThan(known)
    expect(seq).toBeLessThanOrEqual(daemon.lastOf(logId))
    if (seq > known + 1 || logId !== this.logId) {
      // what it was not given is gone, and it was told so
      expect(this.isMarked).toBe(true)
      expect(daemon.firstOf(logId)).toBeGreaterThanOrEqual(seq)
    }
    this.isMarked = false
    this.logId = logId
    this.seq = seq
  }
  gap = (): void => {
    this.isMarked = true
  }
  end = (reason: string): void => {
    this.ended = reason
  }
  isBehind = (): boolean => false
  hasEnough = (): boolean => this.turn.isLong

  /** What its daemon still has and it was not told. */
  lacks(): string | undefined {
    const { daemon, logId, seq } = this
    const isToldAll = (logId === daemon.logId ? seq : 0) >= daemon.last
    if (isToldAll || (this.isMarked && daemon.first > daemon.last)) return undefined
    return `is at ${logId} ${seq}, its daemon at ${daemon.logId} ${daemon.first} to ${daemon.last}`
  }
}

/** The daemon: its log, and who listens to it. */
class ModelDaemon {
  numbering = 0
  first = 1
  last = 0
  isOnline = true
  listener: LogListener | undefined
  private readonly ends = new Map<string, number>()

  get logId(): string {
    return `log ${this.numbering}`
  }
  firstOf(logId: string): number {
    return logId === this.logId ? this.first : Number.POSITIVE_INFINITY
  }
  lastOf(logId: string): number {
    return logId === this.logId ? this.last : (this.ends.get(logId) ?? 0)
  }
  frame(from: number): LogFrame {
    return { log, logId: this.logId, lastSeq: this.last, events: eventsOf(from, this.last), chars: 10, cost: 10 }
  }
  page({ logId, seq }: Position): LogPage {
    const from = logId === this.logId ? Math.max(seq + 1, this.first) : this.first
    const to = Math.min(this.last, from + pageEvents - 1)
    const { first: firstSeq, last: lastSeq } = this
    return { logId: this.logId, firstSeq, lastSeq, events: eventsOf(from, to), more: to < lastSeq }
  }
  restart(): void {
    this.ends.set(this.logId, this.last)
    this.numbering++
    this.first = 1
    this.last = 0
  }
}

/** The feed among its daemon, its readers and the clock. */
const playing = () => {
  const daemon = new ModelDaemon()
  const timers = playedTimers()
  const turn = { isLong: false }
  const reads: Array<{ readonly from: Position; readonly then: (read: PageRead) => void }> = []
  const readers = new Map<CheckingReader, ReturnType<LogFeed["add"]>>()
  const feed = new LogFeed(
    {
      timers,
      subscribe: (_, listener, then) => {
        if (!daemon.isOnline) {
          then(undefined)
          return () => {}
        }
        daemon.listener = listener
        const close = (): void => {
          if (daemon.listener === listener) daemon.listener = undefined
        }
        then({ want: () => {}, close })
        daemon.listener?.hear(daemon.frame(daemon.last + 1))
        return () => {}
      },
      read: (_, from, __, then) => void reads.push({ from, then }),
      held: heldOfFew(),
      fanOut: makeBuckets(logFanOutBytesPerSecond, logFanOutBurstBytes, () => timers.monotonic()),
      left: () => {}
    },
    { accountId: "acc", daemonId: "dmn", log }
  )
  const answer = (nth: number): void => {
    const [read] = reads.splice(nth % Math.max(1, reads.length), 1)
    read?.then(daemon.isOnline ? daemon.page(read.from) : "failed")
  }
  return { daemon, timers, turn, reads, readers, feed, answer, failures: 0 }
}

type Playing = ReturnType<typeof playing>
type Step = fc.Command<object, Playing>

const step = (name: string, run: (playing: Playing) => void): Step => ({
  check: () => true,
  run: (_, real) => run(real),
  toString: () => name
})

const send = (count: number, how: "heard" | "lost" | "twice") =>
  step(`send ${count} ${how}`, ({ daemon }) => {
    daemon.last += count
    const frame = daemon.frame(daemon.last - count + 1)
    if (how === "lost") return daemon.listener?.doubt()
    daemon.listener?.hear(frame)
    if (how === "twice") daemon.listener?.hear(frame)
  })

const join = (deltas: boolean, back: number | undefined) =>
  step(`join ${deltas} ${back}`, ({ daemon, feed, readers, turn }) => {
    const reader = new CheckingReader(daemon, turn)
    const seq = Math.max(0, daemon.last - (back ?? 0))
    const from = back === undefined ? undefined : { logId: daemon.logId, seq, former: [] }
    readers.set(reader, feed.add(reader, deltas, from))
  })

const leave = (nth: number) =>
  step(`leave ${nth}`, ({ feed, readers }) => {
    const some = [...readers]
    const [reader, stream] = some[nth % Math.max(1, some.length)] ?? []
    if (reader === undefined || stream === undefined) return
    feed.remove(stream)
    readers.delete(reader)
    reader.ended = "left"
  })

const fail = step("fail a read", (real) => {
  // one more and the stream would give up what the daemon still has
  if (real.failures >= logReadTriesMax - 1 || real.reads.length === 0) return
  real.failures++
  real.reads.shift()!.then("failed")
})

const turnLong = step("a long turn", ({ turn }) => {
  turn.isLong = !turn.isLong
})
const forget = (count: number) =>
  step(`forget ${count}`, ({ daemon }) => {
    daemon.first = Math.min(daemon.last + 1, daemon.first + count)
  })
const restart = step("number anew", ({ daemon }) => {
  daemon.restart()
  daemon.listener?.hear(daemon.frame(1))
})
const goAway = step("go away", ({ daemon }) => {
  if (!daemon.isOnline) return
  const { listener } = daemon
  daemon.isOnline = false
  daemon.listener = undefined
  listener?.gone()
})
const comeBack = step("come back", ({ daemon }) => {
  daemon.isOnline = true
})
const answer = (nth: number) => step(`answer ${nth}`, (real) => real.answer(nth))
const pass = (millis: number) => step(`pass ${millis}`, ({ timers }) => timers.pass(millis))

const small = fc.nat(4)
const steps = fc.commands(
  [
    fc.tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom("heard", "lost", "twice")).map(([n, how]) => send(n, how)),
    fc.tuple(fc.boolean(), fc.option(small, { nil: undefined })).map(([deltas, back]) => join(deltas, back)),
    small.map(answer),
    small.map(answer),
    small.map(leave),
    small.map(forget),
    fc.constantFrom(10, 100, 1_000, logOfflineMillisMax).map(pass),
    fc.constantFrom(fail, turnLong, restart, goAway, comeBack)
  ],
  { maxCommands: 40 }
)

/** Lets everything that is under way come to its end. */
const settle = (real: Playing): void => {
  real.daemon.isOnline = true
  real.turn.isLong = false
  for (let round = 0; round < 200; round++) {
    real.timers.pass(500)
    while (real.reads.length > 0) real.answer(0)
  }
}

it("a log that several read is told to each reader in order, each event once, and what is not told is gone and marked", () =>
  forAll(modelRuns(3_000), steps, (life) => {
    const real = playing()
    fc.modelRun(() => ({ model: {}, real }), life)
    settle(real)
    for (const reader of real.readers.keys()) {
      expect([undefined, "daemon_offline"]).toContain(reader.ended)
      if (reader.ended === undefined) expect(reader.lacks()).toBeUndefined()
    }
  }))
