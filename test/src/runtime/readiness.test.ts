/** How long readiness waits for the store, and how long it believes what it saw. */
import { Effect, Fiber, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import pg from "pg"
import { describe, expect } from "vitest"
import { StoreFailed } from "../../../src/errors.ts"
import { readinessLookMillis, readinessMillisMax, storeLookMillis, storePauseMillisMax } from "../../../src/limits.ts"
import { entryOf } from "../../../src/runtime/log.ts"
import { Readiness } from "../../../src/runtime/readiness.ts"
import type { EmbeddedThread } from "../../../src/store/embedded/thread.ts"
import { DatabaseHome, Suspicion } from "../../../src/store/sql/database-home.ts"
import { type Body, effectOf, it, itWith } from "../../support/effect-test.ts"

/** A store that answers as it is told to, and counts how often it was asked. */
const world = () => {
  const store = { asked: 0, copying: false, answer: Effect.succeed([]) as Effect.Effect<ReadonlyArray<unknown>> }
  const ask = () =>
    Effect.suspend(() => {
      store.asked++
      return store.answer
    })
  const client = Object.assign(ask, { withTransaction: <A>(work: A): A => work })
  const sql = Layer.succeed(SqlClient.SqlClient, client as unknown as SqlClient.SqlClient)
  const suspicion = new Suspicion()
  const thread = { copying: () => store.copying } as unknown as EmbeddedThread
  const home = Layer.succeed(DatabaseHome, { suspicion, embedded: { dataDir: undefined, thread } })
  return { store, suspicion, layer: Layer.provide(Readiness.layer, Layer.merge(sql, home)) }
}

/** A test over such a store, of a node that has started. */
const started = (
  name: string,
  body: Body<[ReturnType<typeof world> & Pick<Readiness["Service"], "waitingFor">], Readiness>
): void => {
  const one = world()
  itWith(one.layer)(name, function* () {
    const { tell, waitingFor } = yield* Readiness
    tell("start", true)
    yield* effectOf(body)({ ...one, waitingFor })
  })
}

describe("readiness", () => {
  started(
    `waits ${readinessMillisMax / 1_000} s for a store that does not answer, and is red then`,
    function* ({ store, waitingFor }) {
      store.answer = Effect.never
      const asked = yield* Effect.forkChild(waitingFor, { startImmediately: true })
      yield* TestClock.adjust(readinessMillisMax - 1)
      expect(asked.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(asked)).toEqual(["store"])
    }
  )

  started(
    "stays green while statements wait for a copy of the database, begun before or after it looked",
    function* ({ store, waitingFor }) {
      store.answer = Effect.never
      const asked = yield* Effect.forkChild(waitingFor, { startImmediately: true })
      store.copying = true
      yield* TestClock.adjust(readinessMillisMax)
      expect(yield* Fiber.join(asked)).toEqual([])
      yield* TestClock.adjust(readinessLookMillis)
      expect(yield* waitingFor).toEqual([])
      expect(store.asked).toBe(1)
    }
  )

  started(
    `believes no copy that takes ${storePauseMillisMax / 1_000} s, and no store that was red before it`,
    function* ({ store, waitingFor }) {
      store.copying = true
      expect(yield* waitingFor).toEqual([])
      store.answer = Effect.never
      yield* TestClock.adjust(storePauseMillisMax)
      const asked = yield* Effect.forkChild(waitingFor, { startImmediately: true })
      yield* TestClock.adjust(readinessMillisMax)
      expect(yield* Fiber.join(asked)).toEqual(["store"])
      store.copying = false
      yield* TestClock.adjust(readinessLookMillis)
      const again = yield* Effect.forkChild(waitingFor, { startImmediately: true })
      yield* TestClock.adjust(readinessMillisMax)
      expect(yield* Fiber.join(again)).toEqual(["store"])
      store.copying = true
      yield* TestClock.adjust(readinessLookMillis)
      expect(yield* waitingFor).toEqual(["store"])
    }
  )

  started(
    `looks at the store once in ${readinessLookMillis / 1_000} s, however often it is asked`,
    function* ({ store, waitingFor }) {
      store.asked = 0
      for (let nth = 0; nth < 100; nth++) expect(yield* waitingFor).toEqual([])
      expect(store.asked).toBe(1)
      yield* TestClock.adjust(readinessLookMillis)
      yield* waitingFor
      expect(store.asked).toBe(2)
    }
  )

  started(
    "is red from a write that failed by the store's state until one that needs room is taken",
    function* ({ store, suspicion, waitingFor }) {
      const full = Object.assign(new pg.DatabaseError("no space left on device", 0, "error"), { code: "53100" })
      suspicion.note(full)
      store.answer = Effect.fail(full) as never
      expect(yield* waitingFor).toEqual(["store"])
      store.answer = Effect.succeed([])
      store.asked = 0
      yield* TestClock.adjust(readinessLookMillis)
      expect(yield* waitingFor).toEqual([])
      expect([suspicion.held, store.asked]).toEqual([false, 2])
    }
  )

  const refusing = world()
  it.effect("says in the log, once, why the store takes no writes", () => {
    const entries: Array<Record<string, unknown>> = []
    const log = Logger.make((options: Logger.Options<unknown>) => void entries.push(entryOf(options, {})))
    return Effect.gen(function* () {
      const { waitingFor } = yield* Readiness
      const cause = new Error("the data folder /data is closed to this user (permission denied)")
      refusing.store.answer = Effect.fail(new StoreFailed({ operation: "take a write", cause })) as never
      for (let nth = 0; nth < 3; nth++) {
        yield* waitingFor
        yield* TestClock.adjust(readinessLookMillis)
      }
      expect(entries).toHaveLength(1)
      expect(entries[0]).toMatchObject({ message: "the store takes no writes: this node is not ready" })
      expect(JSON.stringify(entries[0])).toContain("the data folder /data is closed to this user")
    }).pipe(Effect.provide(refusing.layer), Effect.provide(Logger.layer([log])))
  })

  const unasked = world()
  it.effect(`looks at a store that failed every ${storeLookMillis / 1_000} s though nobody asks, and at no other`, () =>
    Effect.gen(function* () {
      yield* Readiness
      yield* TestClock.adjust(storeLookMillis)
      expect(unasked.store.asked).toBe(0)
      unasked.suspicion.note(Object.assign(new pg.DatabaseError("File exists", 0, "error"), { code: "58P02" }))
      yield* TestClock.adjust(storeLookMillis)
      expect([unasked.suspicion.held, unasked.store.asked]).toEqual([false, 2])
    }).pipe(Effect.provide(unasked.layer))
  )
})
