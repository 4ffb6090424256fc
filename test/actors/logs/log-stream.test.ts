/** One reader of a log: what it is told, what it waits for, and what it gives up. */
import { describe, expect, it } from "vitest"
import { type LogReader, LogStream, type PageRead } from "../../../actors/logs/log-stream.ts"
import { LogEvent, type LogFrame, type LogPage } from "../../../src/domain/log/log.ts"
import { type Position, positionAt } from "../../../src/domain/log/position.ts"
import {
  logAgainMillisMax,
  logDoubtMillis,
  logDrainLookMillis,
  logDrainLooksMax,
  logFrameOverheadBytes,
  logHeldCostMax,
  logPagesMax,
  logReadTriesMax
} from "../../../src/limits/logs.ts"

const eventOf = (seq: number): LogEvent => new LogEvent({ seq, type: "plan", timestamp: 1 })
const frame = (seq: number, chars = 100): LogFrame => ({
  log: { kind: "session", id: "s" },
  logId: "a",
  lastSeq: seq,
  events: [eventOf(seq)],
  chars,
  cost: chars
})
const page = (from: number, to: number, lastSeq = to, more = false): LogPage => ({
  logId: "a",
  firstSeq: 1,
  lastSeq,
  events: Array.from({ length: to - from + 1 }, (_, at) => eventOf(from + at)),
  more
})

/** A stream whose feed and clock the test plays. */
const playing = (from: Position | undefined, deltas = true) => {
  const told: Array<string> = []
  const reads: Array<{ readonly after: number; readonly then: (read: PageRead) => void }> = []
  let timers: Array<{ readonly millis: number; readonly fire: () => void }> = []
  const state = { behind: false, enough: false, held: 0, room: Number.POSITIVE_INFINITY }
  const reader: LogReader = {
    begin: ({ seq }) => void told.push(`begin ${seq}`),
    event: ({ seq }) => void told.push(String(seq)),
    gap: (reason, { seq }) => void told.push(`${reason} ${seq}`),
    end: (reason) => void told.push(`end ${reason}`),
    isBehind: () => state.behind,
    hasEnough: () => state.enough
  }
  const feed = {
    timers: {
      after: (millis: number, fire: () => void) => {
        const timer = { millis, fire }
        timers.push(timer)
        return {
          clear: () => {
            timers = timers.filter((one) => one !== timer)
          }
        }
      }
    },
    hold: (cost: number) => {
      if (state.held + cost > state.room) return false
      state.held += cost
      return true
    },
    release: (cost: number) => {
      state.held -= cost
    },
    read: ({ seq }: Position, _: boolean, then: (read: PageRead) => void) => void reads.push({ after: seq, then })
  }
  const stream = new LogStream(feed, reader, deltas, from)
  const fire = (): number => {
    const next = timers.shift()!
    next.fire()
    return next.millis
  }
  return { stream, told, reads, fire, waits: () => timers.length, state }
}

const at = (seq: number): Position => positionAt({ logId: "a", seq })

describe("a stream", () => {
  it("begins where the log stands, and goes on", () => {
    const { stream, told } = playing(undefined)
    stream.hear({ ...frame(7), events: [] })
    stream.hear(frame(8))
    expect(told).toEqual(["begin 7", "8"])
  })

  it("does not go back to a numbering that its daemon left before it was asked for a page", () => {
    const { stream, told, reads } = playing(at(3))
    stream.hear({ ...frame(1), logId: "b" })
    stream.hear({ ...frame(2), logId: "b" })
    stream.hear({ ...frame(1), logId: "c" })
    reads[0]!.then({ ...page(1, 1), logId: "c" })
    stream.hear({ ...frame(2), logId: "c" })
    expect(told).toEqual(["begin 3", "log_restarted 3", "1", "2"])
    expect(reads.length).toBe(1)
  })

  it("forgets frames that wait when they are too much, and reads them too", () => {
    const { stream, told, reads } = playing(at(3))
    for (let seq = 5; seq <= 8; seq++) stream.hear(frame(seq, logHeldCostMax / 2 - logFrameOverheadBytes - 1))
    reads[0]!.then(page(4, 4))
    expect(reads[1]!.after).toBe(4)
    reads[1]!.then(page(5, 8))
    expect(told).toEqual(["begin 3", "4", "5", "6", "7", "8"])
  })

  it("reads frames again that its account has no room to hold, and gives back all that it held", () => {
    const { stream, told, reads, state } = playing(at(3))
    state.room = 1_500
    for (let seq = 5; seq <= 8; seq++) stream.hear(frame(seq, 1_000))
    expect(state.held).toBe(0)
    reads[0]!.then(page(4, 4))
    reads[1]!.then(page(5, 8))
    stream.hear(frame(10, 500))
    expect([told.at(-1), state.held]).toEqual(["8", 500 + logFrameOverheadBytes])
    stream.close()
    expect(state.held).toBe(0)
  })

  it(`reads ${logPagesMax} pages in a row, and marks the rest as a gap`, () => {
    const { stream, told, reads } = playing(at(0))
    stream.hear({ ...frame(1_000), events: [] })
    for (let n = 0; n < logPagesMax; n++) reads[n]!.then(page(n + 1, n + 1, 1_000, true))
    expect(reads).toHaveLength(logPagesMax)
    stream.hear(frame(1_001))
    expect(told.slice(-3)).toEqual([`${logPagesMax}`, `not_kept ${logPagesMax}`, "1001"])
  })

  it(`asks ${logReadTriesMax} times with pauses that grow, and then marks what it lacks as a gap`, () => {
    const { stream, told, reads, fire } = playing(at(3))
    stream.hear(frame(9))
    const pauses: Array<number> = []
    for (let n = 0; n < logReadTriesMax; n++) {
      reads[n]!.then("failed")
      if (n < logReadTriesMax - 1) pauses.push(fire())
    }
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b))
    expect(pauses.at(-1)).toBe(logAgainMillisMax)
    expect(told).toEqual(["begin 3", "not_kept 3", "9"])
  })

  it("leaves what is too much for one turn of the event loop, and reads it a little later", () => {
    const { stream, told, reads, fire, state } = playing(at(3))
    stream.hear(frame(4))
    state.enough = true
    stream.hear(frame(5))
    stream.hear(frame(6))
    state.enough = false
    expect(told).toEqual(["begin 3", "4"])
    expect(fire()).toBe(logDoubtMillis)
    reads[0]!.then(page(5, 6))
    expect(told).toEqual(["begin 3", "4", "5", "6"])
  })

  it(`reads its next page when its reader has taken the last, and ends after ${logDrainLooksMax} looks`, () => {
    const { stream, told, reads, fire, state } = playing(at(0))
    stream.hear({ ...frame(3), events: [] })
    state.behind = true
    reads[0]!.then(page(1, 1, 3, true))
    expect([reads.length, fire()]).toEqual([1, logDrainLookMillis])
    state.behind = false
    fire()
    state.behind = true
    reads[1]!.then(page(2, 2, 3, true))
    for (let n = 0; n < logDrainLooksMax; n++) fire()
    expect(told.at(-1)).toBe("end slow_reader")
  })

  it("ends once, and is silent from then on", () => {
    const { stream, told, reads } = playing(at(3))
    stream.hear(frame(9))
    stream.hear({ ...frame(0), logId: null, events: [] })
    reads[0]!.then(page(4, 9))
    stream.hear(frame(10))
    stream.end("daemon_offline")
    expect(told).toEqual(["begin 3", "end log_ended"])
  })
})
