/** One log for many readers: what they are given in one turn, and what is read instead. */
import { describe, expect, it } from "vitest"
import { LogFeed } from "../../../actors/logs/log-feed.ts"
import type { LogReader, PageRead } from "../../../actors/logs/log-stream.ts"
import { makeBuckets } from "../../../src/domain/limits/buckets.ts"
import { HeldBytes } from "../../../src/domain/limits/held-bytes.ts"
import { LogEvent, type LogFrame } from "../../../src/domain/log/log.ts"
import type { LogListener, LogSubscription } from "../../../src/domain/log/log-listener.ts"
import { positionAt } from "../../../src/domain/log/position.ts"
import {
  logFanOutBurstBytes,
  logFanOutBytesPerSecond,
  logHeldCostAllMax,
  logHeldCostPerAccountMax,
  logPageTurnBytes
} from "../../../src/limits/logs.ts"

const log = { kind: "session", id: "s" } as const
const frame = (seq: number, chars: number): LogFrame => ({
  log,
  logId: "a",
  lastSeq: seq,
  events: [new LogEvent({ seq, type: "plan", timestamp: 1 })],
  chars,
  cost: chars
})

type Subscribing = (by: LogListener, then: (subscription: LogSubscription) => void) => void

/** A feed with readers that have seen the event 1, and the clock that the test plays. */
const playing = (
  readers: number,
  fanOut = makeBuckets(logFanOutBytesPerSecond, logFanOutBurstBytes, () => 0),
  subscribe: Subscribing = (_, then) => then({ want: () => {}, close: () => {} })
) => {
  let listener: LogListener | undefined
  const told: Array<ReadonlyArray<number>> = []
  const reads: Array<(read: PageRead) => void> = []
  const later: Array<() => void> = []
  const feed = new LogFeed(
    {
      timers: {
        monotonic: () => 0,
        after: (_, fire) => {
          later.push(fire)
          return { clear: () => {} }
        }
      },
      subscribe: (_, by, then) => {
        listener = by
        subscribe(by, then)
        return () => {}
      },
      read: (_, __, ___, then) => void reads.push(then),
      held: new HeldBytes(logHeldCostAllMax, logHeldCostPerAccountMax),
      fanOut,
      left: () => {}
    },
    { accountId: "acc", daemonId: "dmn", log }
  )
  const join = (): void => {
    const seen: Array<number> = []
    told.push(seen)
    const reader: LogReader = {
      begin: () => {},
      event: (event) => {
        event.sent ??= "x".repeat(logPageTurnBytes / 4)
        seen.push(event.seq)
      },
      gap: () => {},
      end: () => {},
      isBehind: () => false,
      hasEnough: () => false
    }
    feed.add(reader, true, positionAt({ logId: "a", seq: 1 }))
  }
  for (let nth = 0; nth < readers; nth++) join()
  const saw = (seq: number): number => told.filter((seen) => seen.includes(seq)).length
  return { hear: (one: LogFrame) => listener!.hear(one), join, reads, later, saw }
}

describe("a log with many readers", () => {
  it(`gives them ${logFanOutBurstBytes} bytes at once, and reads the rest as one page, given in several turns`, () => {
    const readers = 10
    const { hear, reads, later, saw } = playing(readers)
    hear(frame(2, logFanOutBurstBytes / readers / 2))
    expect([saw(2), reads.length]).toEqual([readers, 0])
    hear(frame(3, logFanOutBurstBytes / readers))
    expect([saw(3), reads.length]).toEqual([0, 1])
    reads[0]!({ logId: "a", firstSeq: 1, lastSeq: 3, events: frame(3, 0).events, more: false })
    expect(saw(3)).toBe(5)
    later.shift()!()
    expect([saw(3), later.length]).toEqual([readers, 0])
  })

  it("gives the readers of another log of the account what the first has left, and those of another account all", () => {
    const fanOut = makeBuckets(logFanOutBytesPerSecond, logFanOutBurstBytes, () => 0)
    const [first, second] = [playing(10, fanOut), playing(10, fanOut)]
    first.hear(frame(2, logFanOutBurstBytes / 10 - 1_000))
    second.hear(frame(2, 10_000))
    expect([first.saw(2), second.saw(2), second.reads.length]).toEqual([10, 0, 1])
    expect(fanOut("another").take(logFanOutBurstBytes, 0)).toBe(true)
  })

  it("reads a page anew for who asks after another log was named", () => {
    const { hear, join, reads } = playing(2)
    hear({ ...frame(3, 0), events: [] })
    join()
    expect(reads.length).toBe(1)
    hear({ ...frame(1, 0), logId: "b" })
    join()
    expect(reads.length).toBe(2)
  })
})

describe("a log at another node", () => {
  it("is looked for again where the question for it is lost as it is asked", () => {
    let asked = 0
    const { join, later } = playing(0, undefined, (by, then) => {
      if (++asked === 1) by.gone()
      then({ want: () => {}, close: () => {} })
    })
    join()
    expect([asked, later.length]).toEqual([1, 1])
    later.shift()!()
    expect([asked, later.length]).toEqual([2, 0])
  })
})
