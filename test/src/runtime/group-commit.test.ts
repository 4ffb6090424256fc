/** Batches form while the previous write commits. */
import { Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { makeGroupCommit } from "../../../src/runtime/group-commit.ts"
import { until } from "../../support/until.ts"

interface Held {
  readonly entries: ReadonlyArray<number>
  readonly end: (exit: Exit.Exit<void, string>) => void
}

const lineOf = (
  over: {
    rowsMax?: number
    bytesMax?: number
    waitingMax?: number
    waitingBytesMax?: number
    bytes?: number
    ownerOf?: (entry: number) => string
  } = {}
) => {
  const writes: Array<Held> = []
  const written: Array<readonly [ReadonlyArray<number>, boolean]> = []
  const line = makeGroupCommit<number, string>(Effect.runFork, {
    name: "outcomes",
    rowsMax: over.rowsMax ?? 100,
    bytesMax: over.bytesMax ?? 1_000,
    bytesOf: () => over.bytes ?? 1,
    waitingMax: over.waitingMax ?? 1_000,
    ...(over.waitingBytesMax !== undefined && { waitingBytesMax: over.waitingBytesMax }),
    ...(over.ownerOf !== undefined && { ownerOf: over.ownerOf }),
    write: (entries) => Effect.callback<void, string>((resume) => void writes.push({ entries, end: resume })),
    written: (entries, exit) => written.push([entries, Exit.isSuccess(exit)])
  })
  return { line, writes, written }
}
const ending = async (writes: ReadonlyArray<Held>, nth: number, exit: Exit.Exit<void, string> = Exit.void) =>
  (await until(`write ${nth} begins`, () => writes[nth])).end(exit)

describe("a line", () => {
  it("writes what came in one tick together", async () => {
    const { line, writes } = lineOf()
    line.add(1)
    line.add(2)
    expect((await until("a write begins", () => writes[0])).entries).toEqual([1, 2])
  })

  it("gathers what comes while a write is under way, and has one write at a time", async () => {
    const { line, writes, written } = lineOf()
    line.add(1)
    await until("a write begins", () => writes[0])
    line.add(2)
    line.add(3)
    expect(writes).toHaveLength(1)
    await ending(writes, 0)
    await ending(writes, 1)
    await Effect.runPromise(line.empty)
    expect(written).toEqual([
      [[1], true],
      [[2, 3], true]
    ])
    expect(line.waiting()).toBe(0)
  })

  it("has owners take turns, so that one entry waits behind no crowd of another, and each owner's keep their order", async () => {
    const { line, writes } = lineOf({ rowsMax: 4, ownerOf: (entry) => (entry < 100 ? "crowd" : String(entry % 2)) })
    for (const entry of [1, 2, 3, 4, 5, 6, 100, 101, 102]) line.add(entry)
    for (const nth of [0, 1, 2]) await ending(writes, nth)
    await Effect.runPromise(line.empty)
    expect(writes.map(({ entries }) => entries)).toEqual([[1, 100, 101, 2], [102, 3, 4, 5], [6]])
  })

  it("takes no more bytes than may wait, but always one entry, and as many again once those are written", async () => {
    const { line, writes } = lineOf({ waitingBytesMax: 20, bytes: 9 })
    expect([line.add(1), line.add(2), line.add(3)]).toEqual([true, true, false])
    await ending(writes, 0)
    expect([line.add(4), line.add(5), line.add(6)]).toEqual([true, true, false])
    expect(lineOf({ waitingBytesMax: 20, bytes: 99 }).line.add(1)).toBe(true)
  })

  it("keeps a write within its rows and its bytes, but always takes one entry", async () => {
    const rows = lineOf({ rowsMax: 2 })
    for (const entry of [1, 2, 3]) rows.line.add(entry)
    expect((await until("a write begins", () => rows.writes[0])).entries).toEqual([1, 2])
    const bytes = lineOf({ bytesMax: 5, bytes: 9 })
    for (const entry of [1, 2]) bytes.line.add(entry)
    expect((await until("a write begins", () => bytes.writes[0])).entries).toEqual([1])
  })

  it("refuses an entry when too many wait", async () => {
    const { line } = lineOf({ waitingMax: 2 })
    expect([line.add(1), line.add(2), line.add(3)]).toEqual([true, true, false])
  })

  it("goes on after a write that failed", async () => {
    const { line, writes, written } = lineOf({ rowsMax: 1 })
    line.add(1)
    line.add(2)
    await ending(writes, 0, Exit.fail("away"))
    await ending(writes, 1)
    await Effect.runPromise(line.empty)
    expect(written.map(([, success]) => success)).toEqual([false, true])
  })
})
