/** A log: its numbers, its bounds, what is read of it, and the pace at which its frames may go out. */
import { describe, expect, it } from "vitest"
import { EventLog } from "../../daemon/event-log.ts"
import {
  endedLogMillisMax,
  endedLogsMax,
  logAnswerBytesMax,
  logBurstBytes,
  logBytesMax,
  logBytesPerSecond,
  logEventBytesMax,
  logEventsMax,
  logFrameEventsMax,
  logFrameOverheadBytes,
  logFrameValuesMax,
  logPieceCharactersMax
} from "../../daemon/limits.ts"
import { fitted } from "../../daemon/log-event.ts"
import { LogPace } from "../../daemon/log-pace.ts"
import { Logs } from "../../daemon/logs.ts"
import { fc, forAll } from "../support/properties.ts"
import { virtualClock } from "../support/virtual-clock.ts"

const all = { after: 0, limit: 1_000, bytes: Number.POSITIVE_INFINITY, deltas: true }
const event = (type: string, more: object = {}) => ({ type, timestamp: 1, ...more })
const delta = (log: EventLog, text: string, key = "m1") =>
  log.stream(key, event("message_delta", { messageId: key }), "delta", text)

describe("a log", () => {
  it("numbers its events from 1 and gives them after a number, page by page", () => {
    const log = new EventLog()
    expect([log.firstSeq, log.lastSeq, log.read(all)]).toEqual([1, 0, { events: [], cursor: 0, more: false }])
    for (let at = 1; at <= 5; at++) log.add(event(`e${at}`))
    expect(log.read({ ...all, limit: 2 })).toMatchObject({
      events: [{ seq: 1, type: "e1", timestamp: 1 }, { seq: 2 }],
      more: true
    })
    expect(log.read({ ...all, after: 3 }).events.map(({ seq }) => seq)).toEqual([4, 5])
    expect(log.read({ ...all, after: 5 })).toEqual({ events: [], cursor: 5, more: false })
    expect(log.read({ ...all, after: 99 })).toEqual({ events: [], cursor: 99, more: false })
  })

  it("joins text in pieces into one event until it has been read, and then begins another", () => {
    const log = new EventLog()
    for (const piece of ["a", "b", ""]) delta(log, piece)
    delta(log, "c", "m2")
    delta(log, "d")
    expect(log.lastSeq).toBe(3)
    delta(log, "e")
    log.add(event("status"))
    delta(log, "f")
    const pieces = log.read(all).events.map((one) => [one.seq, one["messageId"], one["delta"]])
    expect(pieces).toEqual([
      [1, "m1", "ab"],
      [2, "m2", "c"],
      [3, "m1", "d"],
      [4, "m1", "e"],
      [5, undefined, undefined],
      [6, "m1", "f"]
    ])
  })

  it("skips pieces for a reader who wants whole messages only, and keeps their numbers", () => {
    const log = new EventLog()
    delta(log, "a")
    log.add(event("message"))
    delta(log, "b", "m2")
    expect(log.read({ ...all, deltas: false })).toEqual({
      events: [{ seq: 2, type: "message", timestamp: 1 }],
      cursor: 3,
      more: false
    })
  })

  it("loses nothing of a text, however it is cut, and never cuts a character in two", () => {
    const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 40 }), { maxLength: 20 })
    const big = fc.constantFrom("", "😀".repeat(logPieceCharactersMax), "x".repeat(3 * logPieceCharactersMax + 1))
    forAll(50, texts, big, texts, (before, large, after) => {
      const log = new EventLog()
      const pieces = [...before, large, ...after]
      for (const piece of pieces) delta(log, piece)
      const said = log.read(all).events.map((one) => String(one["delta"]))
      expect(said.join("")).toBe(pieces.join(""))
      return said.every((text) => text.length <= logPieceCharactersMax && text.isWellFormed())
    })
  })

  it("keeps the newest events within its bounds of number and bytes", () => {
    const many = new EventLog()
    for (let at = 0; at < logEventsMax + 3; at++) many.add(event("e"))
    expect([many.firstSeq, many.lastSeq]).toEqual([4, logEventsMax + 3])
    expect(many.read({ ...all, limit: 1 }).events[0]?.seq).toBe(4)
    const large = new EventLog()
    const text = "x".repeat(10_000)
    for (let at = 0; at < 300; at++) large.add(event("message", { text }))
    const kept = large.lastSeq - large.firstSeq + 1
    expect(kept).toBeGreaterThan(90)
    expect(kept * 10_000).toBeLessThanOrEqual(logBytesMax)
    const flood = new EventLog()
    for (let at = 0; at < 2_000; at++) delta(flood, "y".repeat(1_000))
    expect(Buffer.byteLength(JSON.stringify(flood.read(all).events))).toBeLessThanOrEqual(logBytesMax)
  })

  it("fills a page to its bounds of bytes, values and events, and gives one event at least", () => {
    const log = new EventLog()
    const text = "x".repeat(99_000)
    for (let at = 0; at < 9; at++) log.add(event("message", { text }))
    const page = log.read({ ...all, bytes: logAnswerBytesMax })
    expect([page.events.length, page.cursor, page.more]).toEqual([5, 5, true])
    expect(log.read({ ...all, bytes: 1 }).events).toHaveLength(1)
    const full = new EventLog()
    for (let at = 0; at < 100; at++) full.add(event("plan", { entries: Array.from({ length: 900 }, () => 1) }))
    const { events, more } = full.read(all)
    expect([events.length * 900 <= logFrameValuesMax, events.length > 50, more]).toEqual([true, true, true])
    const small = new EventLog()
    for (let at = 0; at <= logFrameEventsMax; at++) small.add(event("e"))
    expect(small.read({ ...all, limit: 9e9 }).events).toHaveLength(logFrameEventsMax)
  })
})

describe("an event that is too large", () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
  it.each([
    ["deep", { rawOutput: nested(5_000), title: "T" }],
    ["full", { rawOutput: Array.from({ length: 5_000 }, () => 0), title: "T" }],
    ["long", { content: ["x".repeat(200_000)], title: "T" }]
  ])("(%s) loses what is too large and says so", (_, more) =>
    expect(fitted(event("tool_call", more)).value).toEqual({ ...event("tool_call"), title: "T", truncated: true })
  )
  it("keeps what still fits", () => {
    const body = event("tool_call", { content: ["kept"], rawOutput: ["x".repeat(200_000)] })
    expect(fitted(body).value).toEqual({ ...event("tool_call"), content: ["kept"], truncated: true })
  })
  it("has the end of its text cut", () => {
    const { value, bytes } = fitted(event("message", { messageId: "m", text: "\u0001😀".repeat(99_999) }))
    expect(bytes).toBeLessThanOrEqual(logEventBytesMax)
    expect(value).toMatchObject({ messageId: "m", truncated: true })
    expect(String(value["text"]).startsWith("\u0001😀\u0001")).toBe(true)
  })
})

describe("the logs of a daemon", () => {
  const name = (id: string) => ({ kind: "command", id }) as const
  it("are kept a while after their end, the newest of them", () => {
    const clock = virtualClock()
    const gone: Array<string> = []
    const logs = new Logs(clock, ({ id }) => gone.push(id))
    const running = logs.open(name("running"))
    for (let at = 0; at <= endedLogsMax; at++) {
      logs.open(name(String(at)))
      logs.end(name(String(at)))
    }
    expect([logs.find(name("0")), logs.find(name("1")) === undefined, gone]).toEqual([undefined, false, ["0"]])
    clock.advance(endedLogMillisMax)
    expect(logs.find(name("1"))).toBeUndefined()
    expect(logs.find(name("running"))).toBe(running)
    expect(gone).toHaveLength(endedLogsMax + 1)
  })

  it("are read from after a number of the same log, from the oldest of another", () => {
    const logs = new Logs(virtualClock(), () => undefined)
    const log = logs.open(name("c"))
    for (let at = 0; at < 3; at++) log.add(event("e"))
    const read = (more: object) => logs.read({ log: name("c"), limit: 10, ...more }).events.map(({ seq }) => seq)
    expect(read({ after: { logId: log.logId, seq: 2 } })).toEqual([3])
    expect(read({ after: { logId: "another", seq: 2 } })).toEqual([1, 2, 3])
    expect(read({ after: null, limit: "many" })).toEqual([1, 2, 3])
    expect(logs.read({ log: name("c"), limit: 1 })).toMatchObject({ firstSeq: 1, lastSeq: 3, more: true })
    expect(() => logs.read({ log: name("d") })).toThrow(expect.objectContaining({ code: "log_not_found" }))
    expect(() => logs.read({ log: { kind: "x" } })).toThrow(expect.objectContaining({ code: "invalid_payload" }))
  })
})

it("the pace of log frames lets a burst go at once, then its rate, and never more than that in any time", () =>
  forAll(fc.array(fc.tuple(fc.nat(40), fc.nat(262_144)), { maxLength: 200 }), (frames) => {
    const pace = new LogPace(0)
    const sent: Array<readonly [number, number]> = []
    let now = 0
    for (const [gap, bytes] of frames) {
      now += gap + pace.wait(now + gap)
      expect(pace.isFree(now)).toBe(true)
      pace.take(now, bytes)
      sent.push([now, bytes + logFrameOverheadBytes])
    }
    const [first = 0] = sent.map(([time]) => time)
    const before = sent.slice(0, -1).reduce((sum, [, bytes]) => sum + bytes, 0)
    return before <= logBurstBytes + ((now - first) * logBytesPerSecond) / 1_000
  }))
