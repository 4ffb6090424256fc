/** Reads of logs at one daemon: how many at once, and how many wait. */
import { Effect } from "effect"
import { expect, it, test } from "vitest"
import { DaemonReads, type ReadAnswer, readPage } from "../../../actors/logs/daemon-reads.ts"
import { frameCostMax, nameCost } from "../../../src/limits/cost.ts"
import { logReadsPerDaemonMax, logReadsWaitingMax } from "../../../src/limits/logs.ts"
import { LargeResult } from "../../../src/protocol/large-frame.ts"

const pageOf = async (names: number) => {
  const more = Array.from({ length: names }, (_, at) => ({ [at]: 0 }))
  const events = [{ seq: 1, type: "plan", timestamp: 1, more }]
  const bytes = Buffer.from(JSON.stringify({ logId: "l", firstSeq: 1, lastSeq: 1, events, more: false }))
  const answer = { commandId: "c", success: true, result: new LargeResult(bytes), durationMs: 1 }
  let cost = 0
  const which = { accountId: "a", daemonId: "d", log: { kind: "session", id: "s" } } as const
  const reading = readPage(
    { command: () => Effect.succeed(answer) },
    (more) => {
      cost += more
    },
    which,
    { logId: "l", seq: 0 },
    100,
    true
  )
  return { read: await Effect.runPromise(reading), cost, bytes: bytes.byteLength }
}

test("a page that would cost more than any frame on the loop is not parsed, and charged for its bytes", async () => {
  const dear = await pageOf(frameCostMax / nameCost)
  expect([dear.read, dear.cost]).toEqual(["failed", dear.bytes])
  const { read, cost } = await pageOf(frameCostMax / nameCost / 4)
  expect(read).toMatchObject({ lastSeq: 1 })
  expect(cost).toBeLessThan(frameCostMax)
})

it(`reads at a daemon that never answers are ${logReadsPerDaemonMax} at once, ${logReadsWaitingMax} wait, and one more fails`, async () => {
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
