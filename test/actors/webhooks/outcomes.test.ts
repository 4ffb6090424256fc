/** Outcomes wait for the store, and only one that it refuses as such is given up. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlError } from "effect/sql"
import { describe, expect, it } from "vitest"
import { Outcomes } from "../../../actors/webhooks/outcomes.ts"
import { StoreFailed } from "../../../src/errors.ts"
import { outcomesWaitingMax } from "../../../src/limits/delivery.ts"
import { Deliveries, type HealthRow, type OutcomeRow } from "../../../src/store/webhooks/deliveries.ts"
import { until } from "../../support/until.ts"

const outcome = (deliveryId: string): OutcomeRow => ({
  deliveryId,
  webhookId: "w",
  attempts: 1,
  state: "succeeded",
  dueAt: 0,
  at: 0,
  statusCode: 200,
  error: undefined,
  body: "",
  truncated: false,
  durationMs: 1
})
const health = (failures: number): HealthRow => ({
  webhookId: "w",
  failures,
  failingSince: undefined,
  lastDeliveryAt: 0,
  lastStatusCode: 500
})
const fields = { cause: "x", message: "x", operation: "x" }
const failed = (reason: SqlError.SqlErrorReason) =>
  new StoreFailed({ operation: "settle", cause: new SqlError.SqlError({ reason }) })
const away = failed(new SqlError.ConnectionError(fields))
const refusal = failed(new SqlError.UnknownError(fields))

const world = async (settle: (ids: ReadonlyArray<string>) => StoreFailed | undefined) => {
  const settled: Array<ReadonlyArray<string>> = []
  const healths: Array<ReadonlyArray<number>> = []
  const done = new Map<string, boolean>()
  const store = Layer.mock(Deliveries, {
    unhurried: () => Effect.void,
    settle: (outcomes, rows) =>
      Effect.suspend(() => {
        const ids = outcomes.map((one) => one.deliveryId)
        const failure = settle(ids)
        if (failure !== undefined) return Effect.fail(failure)
        if (ids.length > 0) settled.push(ids)
        healths.push(rows.map((row) => row.failures))
        return Effect.void
      })
  })
  const runtime = ManagedRuntime.make(Layer.provide(Outcomes.layer, store))
  const outcomes = await runtime.runPromise(Outcomes)
  const record = (id: string, failures = 0): void =>
    outcomes.record({ outcome: outcome(id), health: health(failures), done: (ok) => void done.set(id, ok) })
  return { outcomes, record, settled, healths, done }
}

describe("outcomes", () => {
  it("that come together are recorded together, with the last health of their webhook", async () => {
    const { record, outcomes, settled, healths, done } = await world(() => undefined)
    for (const [n, id] of ["a", "b", "c"].entries()) record(id, n)
    await Effect.runPromise(outcomes.empty)
    expect(settled).toEqual([["a", "b", "c"]])
    expect(healths).toEqual([[2]])
    expect([...done]).toEqual([
      ["a", true],
      ["b", true],
      ["c", true]
    ])
  })

  it("are kept while the store is away, and recorded when it is back", async () => {
    let tries = 0
    const { record, settled, done } = await world(() => (++tries < 3 ? away : undefined))
    record("a")
    await until("it is recorded", () => done.get("a"))
    expect([tries, settled]).toEqual([3, [["a"]]])
  })

  it(`are not taken when ${outcomesWaitingMax} wait, and that is said at once`, async () => {
    let tries = 0
    const { record, outcomes, done } = await world(() => {
      tries++
      return done.has("last") ? undefined : away
    })
    record("writing")
    await until("it is being written", () => tries > 0)
    for (let n = 0; n < outcomesWaitingMax; n++) record(`${n}`)
    expect(done.size).toBe(0)
    record("last")
    expect([...done]).toEqual([["last", false]])
    await Effect.runPromise(outcomes.empty)
    expect(done.size).toBe(1 + outcomesWaitingMax + 1)
  })

  it("write the health that waited at the next turn, or when all are to be recorded", async () => {
    const { record, outcomes, healths, done } = await world(() => undefined)
    const recorded = async (...ids: ReadonlyArray<string>): Promise<void> => {
      for (const id of ids) {
        record(id)
        await until(`${id} is recorded`, () => done.get(id))
      }
    }
    await recorded("a", "b")
    await until("both are written", () => healths.flat().length === 2)
    await recorded("c", "d")
    await Effect.runPromise(outcomes.empty)
    expect(healths.flat().length).toBeGreaterThan(2)
    const written = healths.flat().length
    await Effect.runPromise(outcomes.empty)
    expect(healths.flat()).toHaveLength(written)
  })

  it("are recorded one by one when the store refuses their batch, and the refused one is given up", async () => {
    const { record, settled, outcomes, done } = await world((ids) => (ids.includes("bad") ? refusal : undefined))
    for (const id of ["a", "bad", "b"]) record(id)
    await Effect.runPromise(outcomes.empty)
    expect(settled).toEqual([["a"], ["b"]])
    expect([...done]).toEqual([
      ["a", true],
      ["bad", false],
      ["b", true]
    ])
  })
})
