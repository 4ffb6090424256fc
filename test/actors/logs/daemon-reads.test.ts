/** Reads of logs at one daemon: how many at once, and how many wait. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { DaemonReads, type ReadAnswer } from "../../../actors/logs/daemon-reads.ts"
import { logReadsPerDaemonMax, logReadsWaitingMax } from "../../../src/limits/logs.ts"

describe("reads at a daemon that never answers", () => {
  it(`are ${logReadsPerDaemonMax} at once, ${logReadsWaitingMax} wait, and one more fails`, async () => {
    const reads = new DaemonReads((work) => Effect.runFork(work))
    const told: Array<ReadAnswer> = []
    let begun = 0
    const never = Effect.suspend(() => {
      begun++
      return Effect.never
    })
    const start = () => reads.start("dmn_1", never, (answer) => told.push(answer))
    for (let nth = 0; nth < logReadsPerDaemonMax + logReadsWaitingMax; nth++) start()
    await Promise.resolve()
    expect(told).toEqual([])
    start()
    expect(told).toEqual([])
    await Promise.resolve()
    expect(told).toEqual(["failed"])
    expect(begun).toBe(logReadsPerDaemonMax)
  })
})
