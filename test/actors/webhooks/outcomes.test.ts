/** Outcomes wait for the store, and only one that it refuses as such is given up. */
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Outcomes } from "../../../actors/webhooks/outcomes.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import type { StoreFailed } from "../../../src/errors.ts"
import { healthWriteMillis, outcomesWaitingMax } from "../../../src/limits/delivery.ts"
import { Deliveries, type HealthRow, type OutcomeRow } from "../../../src/store/webhooks/deliveries.ts"
import { it } from "../../support/effect-test.ts"
import { failedWith } from "../../support/store-failures.ts"

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
const away = failedWith("08006")
const refusal = failedWith("22021")

const world = Effect.fnUntraced(function* (settle: (ids: ReadonlyArray<string>) => StoreFailed | undefined) {
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
  const config = Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32) })
  const outcomes = Context.get(yield* Layer.build(Layer.provide(Outcomes.layer, Layer.merge(store, config))), Outcomes)
  const record = (id: string, failures = 0): void =>
    outcomes.record({ outcome: outcome(id), health: health(failures), done: (ok) => void done.set(id, ok) })
  return { outcomes, record, settled, healths, done }
})

/** Whatever can happen without time has. */
const settle = Effect.repeat(Effect.yieldNow, { times: 10 })

describe("outcomes", () => {
  it.effect("that come together are recorded together, with the last health of their webhook", function* () {
    const { record, outcomes, settled, healths, done } = yield* world(() => undefined)
    for (const [n, id] of ["a", "b", "c"].entries()) record(id, n)
    yield* outcomes.empty
    expect(settled).toEqual([["a", "b", "c"]])
    expect(healths).toEqual([[2]])
    expect([...done]).toEqual([
      ["a", true],
      ["b", true],
      ["c", true]
    ])
  })

  it.effect("are kept while the store is away or has no room, and recorded when it is back", function* () {
    for (const failure of [away, failedWith("53100"), failedWith("42P01")]) {
      let tries = 0
      const { record, settled, done } = yield* world(() => (++tries < 3 ? failure : undefined))
      record("a")
      yield* settle
      expect([tries, done.size]).toEqual([1, 0])
      yield* TestClock.adjust("1 second")
      expect(done.get("a")).toBe(true)
      expect([tries, settled]).toEqual([3, [["a"]]])
    }
  })

  it.effect(`are not taken when ${outcomesWaitingMax} wait, and that is said at once`, function* () {
    let tries = 0
    let isBack = false
    const { record, outcomes, done } = yield* world(() => {
      tries++
      return isBack ? undefined : away
    })
    record("writing")
    yield* settle
    expect(tries).toBe(1)
    for (let n = 0; n < outcomesWaitingMax; n++) record(`${n}`)
    expect(done.size).toBe(0)
    record("last")
    expect([...done]).toEqual([["last", false]])
    isBack = true
    yield* TestClock.adjust("1 second")
    yield* outcomes.empty
    expect(done.size).toBe(1 + outcomesWaitingMax + 1)
  })

  it.effect("write the health that waited at the next turn, or when all are to be recorded", function* () {
    const { record, outcomes, healths, done } = yield* world(() => undefined)
    const recorded = Effect.fnUntraced(function* (...ids: ReadonlyArray<string>) {
      for (const id of ids) {
        record(id)
        yield* settle
        expect(done.get(id)).toBe(true)
      }
    })
    yield* recorded("a", "b")
    expect(healths.flat()).toHaveLength(1)
    yield* TestClock.adjust(healthWriteMillis)
    expect(healths.flat()).toHaveLength(2)
    yield* recorded("c", "d")
    expect(healths.flat()).toHaveLength(2)
    yield* outcomes.empty
    expect(healths.flat()).toHaveLength(3)
    yield* outcomes.empty
    expect(healths.flat()).toHaveLength(3)
  })

  it.effect(
    "are recorded one by one when the store refuses their batch, and the refused one is given up",
    function* () {
      const { record, settled, outcomes, done } = yield* world((ids) => (ids.includes("bad") ? refusal : undefined))
      for (const id of ["a", "bad", "b"]) record(id)
      yield* outcomes.empty
      expect(settled).toEqual([["a"], ["b"]])
      expect([...done]).toEqual([
        ["a", true],
        ["bad", false],
        ["b", true]
      ])
    }
  )
})
