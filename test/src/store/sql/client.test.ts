/** Bounds of the store that need no database: prepared statements, callers that wait, looks at a row that vanishes. */
import { Effect, Exit, Fiber, Layer, Scheduler } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql"
import type pg from "pg"
import { expect, it } from "vitest"
import { connectionWaitersMax, idempotencyRereadsMax, preparedStatementsMax } from "../../../../src/limits.ts"
import { Idempotency } from "../../../../src/store/accounts/idempotency.ts"
import { overPool } from "../../../../src/store/sql/client.ts"
import { Prepared } from "../../../../src/store/sql/prepared-statements.ts"
import { AskedFor } from "../../../../src/store/sql/turns.ts"

it(`the names of prepared statements are ${preparedStatementsMax}; a further text has none, and each other keeps its own`, () => {
  const prepared = new Prepared()
  const names = Array.from({ length: preparedStatementsMax }, (_, nth) => prepared.name(`select ${nth}`))
  expect(new Set(names).size).toBe(preparedStatementsMax)
  expect(prepared.name("one more")).toBeUndefined()
  expect([prepared.name("select 0"), prepared.name("one more")]).toEqual([names[0], undefined])
})

it(`callers that wait for a connection are ${connectionWaitersMax}; one more fails at once`, async () => {
  let asked = 0
  const pool = {
    waitingCount: connectionWaitersMax - 1,
    options: { max: 1 },
    connect: () => {
      asked++
      return new Promise<never>(() => {})
    }
  }
  const sql = await Effect.runPromise(
    overPool(pool as unknown as pg.Pool, "test").pipe(Effect.provide(Reactivity.layer))
  )
  const waits = Effect.runFork(sql`select 1`)
  expect([asked, waits.pollUnsafe()]).toEqual([1, undefined])
  pool.waitingCount++
  expect(await Effect.runPromise(Effect.flip(sql`select 1`))).toMatchObject({ reason: { _tag: "ConnectionError" } })
  expect(asked).toBe(1)
  waits.interruptUnsafe()
})

it("a statement waits for a database that is being opened before it waits for a connection", async () => {
  let asked = 0
  const connect = async () => {
    asked++
    throw new Error("no connection")
  }
  const pool = { waitingCount: 0, options: { max: 1 }, connect } as unknown as pg.Pool
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  const sql = await Effect.runPromise(overPool(pool, "test", { ready }).pipe(Effect.provide(Reactivity.layer)))
  const waits = Effect.runFork(Effect.flip(sql`select 1`))
  expect([asked, waits.pollUnsafe()]).toEqual([0, undefined])
  resolve()
  expect(await Effect.runPromise(Fiber.join(waits))).toMatchObject({ reason: { _tag: "ConnectionError" } })
  expect(asked).toBe(1)
})

it("a transaction that is interrupted at any step before it has a connection leaves its account's turn", async () => {
  let asked = 0
  const connect = () => {
    asked++
    return new Promise<never>(() => {})
  }
  const pool = { waitingCount: 0, options: { max: 1 }, connect }
  const sql = await Effect.runPromise(
    overPool(pool as unknown as pg.Pool, "test").pipe(Effect.provide(Reactivity.layer))
  )
  const ask = Effect.provideService(sql.withTransaction(Effect.void), AskedFor, "acc")
  const step = () => new Promise<void>((resume) => void setImmediate(resume))
  for (let steps = 0, last = 0; asked === last; steps++) {
    // a fiber that has done much gives way between any two steps
    const slow = Effect.runFork(Effect.provideService(ask, Scheduler.MaxOpsBeforeYield, 3))
    for (let nth = 0; nth < steps; nth++) await step()
    await Effect.runPromise(Fiber.interrupt(slow))
    const next = Effect.runFork(ask)
    last++
    expect(asked, `after ${steps} steps`).toBeGreaterThanOrEqual(last)
    await Effect.runPromise(Fiber.interrupt(next))
  }
})

it(`a keyed call whose row vanishes each time between two statements fails after ${idempotencyRereadsMax} looks`, async () => {
  let statements = 0
  const nothing = Effect.sync(() => {
    statements++
    return []
  })
  const sql = Layer.succeed(SqlClient.SqlClient, (() => nothing) as unknown as SqlClient.SqlClient)
  const place = { accountId: "acc", route: "POST /", key: "k", node: "n", bodyHash: new Uint8Array() }
  const begin = Effect.flatMap(Idempotency, (store) => store.begin({ ...place, now: 0, forgottenBefore: 0 }))
  const exit = await Effect.runPromiseExit(Effect.provide(begin, Layer.provide(Idempotency.layer, sql)))
  expect(exit).toMatchObject(Exit.fail({ _tag: "StoreFailed", operation: "begin a keyed call" }))
  expect(statements).toBe(2 * idempotencyRereadsMax)
})
