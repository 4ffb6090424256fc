/** What the daemons of one account may have a node read, hold and keep together, and what becomes of the rest. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Directory } from "../../../actors/commands/directory.ts"
import { mayHold, mayKeep, takeAuth, takeFrame, takeReport, untilReport } from "../../../actors/daemon/account-share.ts"
import { ReportScheduler } from "../../../actors/daemon/report-scheduler.ts"
import { costOf } from "../../../src/domain/limits/cost.ts"
import {
  accountFrameBurstSeconds,
  accountFrameBytesPerSecond,
  authFrameBytesMax,
  daemonFrameBytesMax,
  frameOverheadBytes,
  heldReportBytesMax,
  keptReportsMax,
  largeFrameBytes,
  largeReportMillis,
  reportBurstSeconds,
  reportBytesPerSecond,
  reportBytesPerSecondMax
} from "../../../src/limits.ts"
import { makeNodeCost } from "../../../src/runtime/node-cost.ts"
import { shareAlone } from "../../support/account-shares.ts"
import type { Enrolled, FakePeer } from "../../support/daemon-services.ts"
import { given } from "../../support/given.ts"
import { session, snapshot } from "../../support/snapshots.ts"
import { live } from "./connected-actor.ts"

/** Bytes of reports that are read of so many daemons that report without end, each as large, in so many seconds. */
const readIn = (seconds: number, daemons: number, bytes: number): number => {
  const share = { ...shareAlone(), daemons }
  let read = 0
  for (let now = 0; now < seconds * 1_000; ) {
    const wait = untilReport(share, bytes, now)
    if (wait > 0) now += wait
    else {
      takeReport(share, bytes, now)
      read += bytes
    }
  }
  return read
}

describe("the share of an account", () => {
  it("pays for an auth, which is read before it: reports wait the longer, for a burst's worth at most", () => {
    const share = { ...shareAlone(), daemons: 1 }
    const before = untilReport(share, daemonFrameBytesMax, 0)
    const burst = untilReport({ ...shareAlone(), daemons: 1, reports: { left: 0, at: 0 } }, 0, 0)
    expect([before, burst > 0]).toEqual([0, true])
    const waits: Array<number> = []
    for (let nth = 0; nth < 100; nth++) {
      takeAuth(share, authFrameBytesMax, 0, 0)
      waits.push(untilReport(share, 0, 0))
    }
    expect(waits[0]).toBe(0)
    expect(waits[60]).toBeGreaterThan(1_000)
    expect(waits[99]).toBeLessThanOrEqual(reportBurstSeconds * 1_000 + burst)
  })

  it("is the same for ten daemons and for sixty but for what each adds, and has a top", () => {
    const seconds = 60
    for (const [daemons, perSecond] of [
      [10, reportBytesPerSecond * 1.02],
      [60, reportBytesPerSecond * 1.12],
      [100_000, reportBytesPerSecondMax]
    ] as const) {
      const read = readIn(seconds, daemons, daemonFrameBytesMax)
      expect(read).toBeLessThanOrEqual(perSecond * (seconds + reportBurstSeconds))
      expect(read).toBeGreaterThan(perSecond * seconds * 0.9)
    }
  })

  given(shareAlone)("lets a fleet of 10,000 daemons that comes back within 20 s be read as it comes", (share) => {
    let waited = 0
    for (let daemon = 0; daemon < 10_000; daemon++) {
      share.daemons++
      const now = daemon * 2
      waited = Math.max(waited, untilReport(share, 3_000, now))
      takeReport(share, 3_000, now)
    }
    expect(waited).toBeLessThan(1_000)
  })

  it("has a pause between two large reports, so that none is read right behind another", () => {
    const share = { ...shareAlone(), daemons: 1 }
    takeReport(share, largeFrameBytes, 1_000)
    expect(untilReport(share, largeFrameBytes, 1_000)).toBe(largeReportMillis)
    expect(untilReport(share, largeFrameBytes - 1, 1_000)).toBe(0)
    // a clock that was set back
    expect(untilReport(share, largeFrameBytes, -100_000)).toBe(largeReportMillis)
  })

  given(shareAlone)("takes other frames at its rate and a burst, and no more", (share) => {
    const frames = Math.floor((accountFrameBytesPerSecond * accountFrameBurstSeconds) / (1_024 + frameOverheadBytes))
    let taken = 0
    while (takeFrame(share, 1_024, 0)) taken++
    expect(taken).toBe(frames)
    expect([takeFrame(share, 10_240, 1), takeFrame(share, 10_240, 20)]).toEqual([false, true])
  })

  it("holds and keeps so much, and more the more daemons are connected", () => {
    const full = { ...shareAlone(), heldBytes: heldReportBytesMax, kept: keptReportsMax }
    expect([mayHold(full, 1, 0), mayHold(full, 1, 1), mayKeep(full, 1, 0), mayKeep(full, 1, 1)]).toEqual([
      false,
      true,
      false,
      true
    ])
    const fleet = { ...full, daemons: 1 }
    expect([
      mayHold(fleet, 4_000, 0),
      mayKeep(fleet, costOf(4_000, { depth: 3, values: 200, names: 0, containers: 40, digits: 0 }), 0)
    ]).toEqual([true, true])
  })
})

describe("reports", () => {
  const large = (peer: FakePeer, id: string, kilobytes = 900): void =>
    peer.say("status_report", { timestamp: 1, sessions: [session(id, { title: "t".repeat(kilobytes * 1_000) })] })
  const shown = ({ accountId, daemonId }: Enrolled) =>
    Effect.flatMap(Directory, (directory) => directory.snapshot(accountId, daemonId))
  const idsOf = (enrolled: Enrolled) => Effect.map(shown(enrolled), ({ sessions }) => sessions.map(({ id }) => id))

  live("that wait are forgotten when their daemon says again what is known", function* ({ peer, enrolled }) {
    large(peer, "s0")
    large(peer, "s1")
    large(peer, "s0")
    yield* TestClock.adjust(1_000)
    expect(yield* idsOf(enrolled)).toEqual(["s0"])
  })

  live("that wait go with their connection", function* ({ peer, enrolled, world }) {
    large(peer, "s0")
    large(peer, "s1")
    peer.link.closed(1000)
    yield* TestClock.adjust(1_000)
    expect(world.told.log.at(-1)).toContain("disconnected")
    expect(yield* idsOf(enrolled)).toEqual(["s0"])
  })
})

describe("the share of an account whose last daemon left", () => {
  const accountShares = () => {
    let fire = (): void => undefined
    let timers = 0
    const after = (_: number, then: () => void) => {
      timers++
      fire = then
      return { clear: () => void timers-- }
    }
    const one = snapshot([], { accountId: "a" })
    return {
      shares: new ReportScheduler(
        { after, now: () => 0 } as never,
        makeNodeCost(() => 0)
      ),
      one,
      timers: () => timers,
      fire: () => fire()
    }
  }

  given(accountShares)("is what it was when one comes back, and leaves no timer behind", ({ shares, one, timers }) => {
    const { share, weight } = shares.join(one)
    takeAuth(share, daemonFrameBytesMax, 0, 0)
    shares.leave("a", undefined, 0, weight)
    expect([shares.size, timers()]).toEqual([1, 1])
    const again = shares.join(one)
    expect([again.share === share, share.daemons, timers()]).toEqual([true, 1, 0])
  })

  given(accountShares)("is gone when none came back until all of it was there again", ({ shares, one, fire }) => {
    shares.leave("a", undefined, 0, shares.join(one).weight)
    fire()
    expect(shares.size).toBe(0)
  })
})
