/** How far a reader of a log has come, whatever its daemon sends. */
import { describe, expect, it } from "vitest"
import { LogEvent, type LogFrame, type LogPage } from "../../../../src/domain/log/log.ts"
import {
  forceFrame,
  leaveOlder,
  type Passed,
  type Position,
  positionAt,
  startOf,
  takeFrame,
  takePage
} from "../../../../src/domain/log/position.ts"
import { logsFormerMax } from "../../../../src/limits/logs.ts"
import { fc, forAll } from "../../../support/properties.ts"

const eventsOf = (seqs: ReadonlyArray<number>) => seqs.map((seq) => new LogEvent({ seq, type: "plan", timestamp: 1 }))
const frame = (logId: string | null, seqs: ReadonlyArray<number>, lastSeq = Math.max(0, ...seqs)): LogFrame => ({
  log: { kind: "session", id: "s" },
  logId,
  lastSeq,
  events: eventsOf(seqs),
  chars: 0,
  cost: 0
})
const page = (
  logId: string,
  firstSeq: number,
  seqs: ReadonlyArray<number>,
  lastSeq: number,
  more = false
): LogPage => ({ logId, firstSeq, lastSeq, events: eventsOf(seqs), more })
const words = (passed: ReadonlyArray<Passed>) => passed.map((one) => ("gap" in one ? one.gap : one.seq))
const at = (logId: string, seq: number): Position => positionAt({ logId, seq })

describe("a frame", () => {
  it("is taken where it goes on", () => {
    const step = takeFrame(at("a", 3), frame("a", [4, 5]), true)
    expect([words(step.passed), step.position.seq, step.next]).toEqual([[4, 5], 5, "wait"])
  })

  it("that repeats or goes backwards adds nothing", () => {
    const step = takeFrame(at("a", 3), frame("a", [1, 3, 2, 4, 4]), true)
    expect([words(step.passed), step.repeated]).toEqual([[4], 4])
  })

  it("that skips has what is missing read first, unless numbers are left out on purpose", () => {
    expect(takeFrame(at("a", 3), frame("a", [4, 6]), true)).toMatchObject({ position: { seq: 4 }, next: "read" })
    expect(takeFrame(at("a", 3), frame("a", [4, 6]), false)).toMatchObject({ position: { seq: 6 }, next: "wait" })
  })

  it("without events has the rest read where it names a later one", () => {
    expect(takeFrame(at("a", 3), frame("a", [], 9), false).next).toBe("read")
    expect(takeFrame(at("a", 3), frame("a", [], 3), true).next).toBe("wait")
    expect(takeFrame(at("a", 3), frame("a", [4], 9), true).next).toBe("doubt")
  })

  it("of another numbering has that read, and one of a numbering that was left is nothing", () => {
    expect(takeFrame(at("a", 3), frame("b", [1]), true)).toMatchObject({ position: { seq: 3 }, next: "read" })
    const { position } = takePage(at("a", 3), page("b", 1, [1], 1), true)
    expect(takeFrame(position, frame("a", [4]), true)).toMatchObject({ passed: [], next: "wait" })
  })

  it("is taken behind a gap where the daemon does not have what is missing", () => {
    expect(words(forceFrame(at("a", 3), frame("a", [5, 8]), true).passed)).toEqual(["not_kept", 5, "not_kept", 8])
    expect(words(forceFrame(at("a", 3), frame("b", [7]), true).passed)).toEqual(["log_restarted", 7])
    expect(words(forceFrame(startOf, frame("b", [1]), true).passed)).toEqual([1])
  })
})

describe("a page", () => {
  it("is taken, and what it leaves out is a gap", () => {
    expect(words(takePage(at("a", 3), page("a", 1, [4, 5], 5), true).passed)).toEqual([4, 5])
    expect(words(takePage(at("a", 3), page("a", 6, [6, 8], 9), true).passed)).toEqual([
      "not_kept",
      6,
      "not_kept",
      8,
      "not_kept"
    ])
    expect(words(takePage(at("a", 3), page("a", 1, [6, 8], 9), false).passed)).toEqual([6, 8])
  })

  it("of another numbering is a gap, but not for who has seen nothing", () => {
    expect(words(takePage(at("a", 3), page("b", 1, [1], 1), true).passed)).toEqual(["log_restarted", 1])
    expect(words(takePage(startOf, page("b", 4, [4], 4), true).passed)).toEqual([4])
  })

  it("makes older what its daemon named before it was asked", () => {
    const position = leaveOlder(at("c", 1), [frame("b", [1]), frame(null, []), frame("c", [1]), frame("b", [2])])
    expect(position).toEqual({ logId: "c", seq: 1, former: ["b"] })
    expect(leaveOlder(position, [frame("b", [3])])).toBe(position)
    const many = Array.from({ length: logsFormerMax + 1 }, (_, nth) => frame(`b${nth}`, [1]))
    expect(leaveOlder(position, many).former).toHaveLength(logsFormerMax)
  })

  it("that says there is more and brings nothing is the last", () => {
    expect(takePage(at("a", 3), page("a", 1, [], 3, true), true).more).toBe(false)
    expect(takePage(at("a", 3), page("a", 1, [4], 9, true), true)).toMatchObject({ more: true, position: { seq: 4 } })
  })
})

const seqs = fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 6 })
const logId = fc.constantFrom("a", "b", "c")
const input = fc.oneof(
  fc.record({ is: fc.constant("frame" as const), logId, seqs, lastSeq: fc.nat(20), force: fc.boolean() }),
  fc.record({
    is: fc.constant("page" as const),
    logId,
    seqs,
    firstSeq: fc.integer({ min: 1, max: 12 }),
    lastSeq: fc.nat(20),
    more: fc.boolean()
  })
)

it("whatever a daemon sends its reader sees strictly rising numbers of each numbering, and each hole is marked", () =>
  forAll(2_000, fc.array(input, { maxLength: 40 }), (inputs) => {
    let position: Position = startOf
    const seen = new Map<string, number>()
    let lastLog: string | undefined
    let isMarked = true
    for (const one of inputs) {
      const step =
        one.is === "page"
          ? takePage(position, page(one.logId, one.firstSeq, one.seqs, one.lastSeq, one.more), true)
          : (one.force ? forceFrame : takeFrame)(position, frame(one.logId, one.seqs, one.lastSeq), true)
      for (const passed of step.passed) {
        if ("gap" in passed) {
          isMarked = true
          continue
        }
        const of = step.position.logId!
        const before = seen.get(of)
        expect(passed.seq).toBeGreaterThan(before ?? 0)
        if (!isMarked) expect([of, passed.seq]).toEqual([lastLog, before! + 1])
        seen.set(of, passed.seq)
        lastLog = of
        isMarked = false
      }
      position = step.position
    }
  }))
