/** How long readiness waits for the store, and how long it believes what it saw. */
import { it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { readinessLookMillis, readinessMillisMax } from "../../src/limits.ts"
import { Readiness } from "../../src/readiness.ts"

/** A store that answers as it is told to, and counts how often it was asked. */
const world = () => {
  const store = { asked: 0, answer: Effect.succeed([]) as Effect.Effect<ReadonlyArray<unknown>> }
  const ask = () =>
    Effect.suspend(() => {
      store.asked++
      return store.answer
    })
  const sql = Layer.succeed(SqlClient.SqlClient, ask as unknown as SqlClient.SqlClient)
  return { store, layer: Layer.provide(Readiness.layer, sql) }
}

describe("readiness", () => {
  const silent = world()
  it.effect(`waits ${readinessMillisMax / 1_000} s for a store that does not answer, and is red then`, () =>
    Effect.gen(function* () {
      const { tell, waitingFor } = yield* Readiness
      tell("start", true)
      silent.store.answer = Effect.never
      const asked = yield* Effect.forkChild(waitingFor, { startImmediately: true })
      yield* TestClock.adjust(readinessMillisMax - 1)
      expect(asked.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(asked)).toEqual(["store"])
    }).pipe(Effect.provide(silent.layer))
  )

  const asked = world()
  it.effect(`looks at the store once in ${readinessLookMillis / 1_000} s, however often it is asked`, () =>
    Effect.gen(function* () {
      const { tell, waitingFor } = yield* Readiness
      tell("start", true)
      asked.store.asked = 0
      for (let nth = 0; nth < 100; nth++) expect(yield* waitingFor).toEqual([])
      expect(asked.store.asked).toBe(1)
      yield* TestClock.adjust(readinessLookMillis)
      yield* waitingFor
      expect(asked.store.asked).toBe(2)
    }).pipe(Effect.provide(asked.layer))
  )
})
