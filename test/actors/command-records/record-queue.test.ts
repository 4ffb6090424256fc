/** The line in which rows of commands are written: in order, again while the store is away, within its bounds. */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { makeRecordQueue, type RecordEntry } from "../../../actors/command-records/record-queue.ts"
import type { Bound } from "../../../src/domain/account/volume.ts"
import type { CommandEnd } from "../../../src/domain/command/stored-command.ts"
import { newId } from "../../../src/domain/ids.ts"
import { StoreFailed } from "../../../src/errors.ts"
import { commandWritesBytesMax, commandWriteTriesMax } from "../../../src/limits/commands.ts"
import type { Commands, NewCommand } from "../../../src/store/daemons/commands.ts"
import { commandsOf } from "../../simulation/store/ports.ts"
import { Tables } from "../../simulation/store/tables.ts"
import { it } from "../../support/effect-test.ts"
import { statementsOn } from "../../support/memory-stores.ts"
import { heldTo } from "../../support/scripted-volume-budgets.ts"
import { failedWith } from "../../support/store-failures.ts"

const away = new StoreFailed({ operation: "fake", cause: "away" })
const refused = failedWith("22021")

const world = (bound?: Bound) => {
  const tables = new Tables(() => 0)
  tables.daemons.set("dmn", {} as never)
  const rows = tables.commands
  const calls: Array<string> = []
  const state = { fails: undefined as StoreFailed | undefined, poison: "", told: [] as Array<boolean>, failed: 0 }
  const fake = commandsOf(statementsOn(tables))
  const store: Commands["Service"] = {
    ...fake,
    end: (ends, attempts) =>
      Effect.suspend(() => {
        calls.push(ends.map(({ state }) => state).join())
        if (state.fails !== undefined) return Effect.fail(state.fails)
        if (ends.some(({ error }) => error === state.poison && error !== "")) return Effect.fail(refused)
        return fake.end(ends, attempts)
      })
  }
  const volumes = heldTo(bound)
  const account = volumes.of("acc")
  const committed = (inserted: ReadonlySet<string> | undefined): void => void state.told.push(inserted !== undefined)
  const make = Effect.map(Effect.context<never>(), (context) =>
    makeRecordQueue({
      store,
      volumes,
      maxAttempts: 5,
      events: { commandEnded: () => Effect.succeed({ deliveries: [], committed }) },
      run: Effect.runForkWith(context),
      failed: () => {
        state.failed++
      }
    })
  )
  const begin = (): NewCommand => {
    const row: NewCommand = {
      commandId: newId("command"),
      accountId: "acc",
      daemonId: "dmn",
      type: "screenshot",
      durable: true,
      cancellable: true,
      epoch: 1,
      createdAt: 0,
      deadlineAt: 1
    }
    Effect.runSync(fake.insert([row]))
    return row
  }
  const entry = ({ commandId, daemonId }: NewCommand, end: CommandEnd, written: (is: boolean) => void = () => {}) =>
    ({ is: "end", seen: { commandId, daemonId, at: 5, end }, written }) satisfies RecordEntry
  return { rows, calls, state, make, begin, entry, account }
}

describe("the line of ends", () => {
  it.effect("takes of several ends in one write the daemon's, and tells everyone who gave one", function* () {
    const { make, begin, entry, rows, calls, state } = world()
    const line = yield* make
    const row = begin()
    const told: Array<boolean> = []
    for (const end of ["lost", "succeeded", "failed", "timed_out"] as const)
      line.add(entry(row, { state: end }, (is) => told.push(is)))
    yield* line.empty
    expect([rows.get(row.commandId)?.state, told, calls]).toEqual([
      "succeeded",
      [true, true, true, true],
      ["succeeded"]
    ])
    expect(state.told).toEqual([true])
  })

  it.effect("writes the row of a late call before its result", function* () {
    const { make, begin, entry, rows } = world()
    const line = yield* make
    const row = begin()
    rows.delete(row.commandId)
    line.add({ is: "row", row, written: () => {} })
    line.add(entry(row, { state: "succeeded", result: "1" }))
    yield* line.empty
    expect(rows.get(row.commandId)).toMatchObject({ state: "succeeded", result: "1" })
  })

  it.effect("tries again while the store is away, prepares its event anew, and gives up in the end", function* () {
    const { make, begin, entry, rows, calls, state } = world()
    const line = yield* make
    const [first, second] = [begin(), begin()]
    const told: Array<boolean> = []
    state.fails = away
    line.add(entry(first, { state: "succeeded" }, (is) => told.push(is)))
    yield* TestClock.adjust("10 seconds")
    expect([calls.length, told]).toEqual([11, []])
    state.fails = undefined
    yield* TestClock.adjust("1 second")
    expect([rows.get(first.commandId)?.state, told]).toEqual(["succeeded", [true]])
    expect(state.told).toEqual([...Array.from({ length: 11 }, () => false), true])
    state.fails = away
    line.add(entry(second, { state: "succeeded" }, (is) => told.push(is)))
    yield* TestClock.adjust(1_000 * (commandWriteTriesMax + 1))
    expect([told, state.failed, rows.get(second.commandId)?.state]).toEqual([[true, false], 1, "pending"])
  })

  it.effect("loses only the end that the store refuses, at once", function* () {
    const { make, begin, entry, rows, state } = world()
    const line = yield* make
    const [good, bad] = [begin(), begin()]
    state.poison = "poison"
    const told: Array<boolean> = []
    line.add(entry(bad, { state: "failed", error: "poison" }, (is) => told.push(is)))
    line.add(entry(good, { state: "succeeded" }, (is) => told.push(is)))
    yield* line.empty
    expect([told, state.failed]).toEqual([[false, true], 1])
    expect([rows.get(bad.commandId)?.state, rows.get(good.commandId)?.state]).toEqual(["pending", "succeeded"])
  })

  it.effect("takes no more bytes than may wait, and says so at once", function* () {
    const { make, begin, entry, state } = world()
    const line = yield* make
    state.fails = away
    const half = "x".repeat(commandWritesBytesMax / 2)
    const told: Array<boolean> = []
    for (const _ of [1, 2, 3]) line.add(entry(begin(), { state: "succeeded", result: half }, (is) => told.push(is)))
    expect(told).toEqual([false])
    const waits = yield* Effect.forkChild(line.empty)
    state.fails = undefined
    yield* TestClock.adjust("2 seconds")
    yield* Fiber.join(waits)
    expect(told).toEqual([false, true, true])
  })

  it.effect("takes room for a result once, however often it is sent and its write is tried", function* () {
    const { make, begin, entry, account, state } = world({ number: 10, bytes: 100 })
    const line = yield* make
    const row = begin()
    state.fails = away
    line.add(entry(row, { state: "succeeded", result: '"abc"' }))
    const empty = yield* Effect.forkChild(line.empty)
    yield* TestClock.adjust("3 seconds")
    state.fails = undefined
    yield* TestClock.adjust("3 seconds")
    yield* Fiber.join(empty)
    line.add(entry(row, { state: "succeeded", result: '"abc"' }))
    yield* line.empty
    expect(account.total.bytes).toBe(5)
  })

  it.effect("leaves out a result for which its account has no room, and keeps the end", function* () {
    const { make, begin, entry, rows, account } = world({ number: 10, bytes: 5 })
    const line = yield* make
    const [first, second] = [begin(), begin()]
    for (const row of [first, second]) line.add(entry(row, { state: "succeeded", result: '"abc"' }))
    yield* line.empty
    expect(rows.get(first.commandId)).toMatchObject({ state: "succeeded", result: '"abc"' })
    expect(rows.get(second.commandId)).toMatchObject({ state: "succeeded", omitted: "RESULT_NOT_KEPT" })
    expect([rows.get(second.commandId)?.result, account.total.bytes]).toEqual([undefined, 5])
  })
})
