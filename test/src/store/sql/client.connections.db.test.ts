/** Connections of the store: bounds, lost ones, and a database that goes away and comes back. */
import { Effect, Fiber, Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql"
import type pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startThread, threadPoolConfig } from "../../../../src/store/embedded/embedded.ts"
import type { EmbeddedThread } from "../../../../src/store/embedded/thread.ts"
import { overPool } from "../../../../src/store/sql/client.ts"
import { makePool, poolConfig } from "../../../../src/store/sql/postgres.ts"
import * as query from "../../../../src/store/sql/query.ts"
import { AskedFor } from "../../../../src/store/sql/turns.ts"
import { databaseKind } from "../../../support/database.ts"
import { until } from "../../../support/until.ts"
import { useDatabase } from "../../../support/use-started.ts"

describe("connections to the database", () => {
  const lifetime = Scope.makeUnsafe()
  const database = useDatabase()
  let thread: EmbeddedThread | undefined

  beforeAll(async () => {
    const { databaseUrl, dataDir } = database.settings
    if (databaseUrl === undefined) thread = await Effect.runPromise(Scope.provide(startThread(dataDir), lifetime))
  })
  afterAll(async () => {
    await Effect.runPromise(Scope.close(lifetime, Effect.runSyncExit(Effect.void)))
  })

  /** Runs on a client of one connection, with other bounds than the hub's. */
  const run = <A, E>(
    bounds: pg.PoolConfig & { readonly waitersMax?: number },
    use: (sql: SqlClient.SqlClient, pool: pg.Pool) => Effect.Effect<A, E, Scope.Scope | SqlClient.SqlClient>
  ): Promise<A> => {
    const config =
      thread === undefined ? poolConfig(database.settings.databaseUrl!, { max: 1 }) : threadPoolConfig(thread, {})
    const program = Effect.gen(function* () {
      // a machine that stalls while one connects has refused nobody
      const pool = yield* makePool({ ...config, connectionTimeoutMillis: 0, ...bounds })
      const sql = yield* overPool(pool, "test", { waitersMax: bounds.waitersMax })
      return yield* Effect.provideService(use(sql, pool), SqlClient.SqlClient, sql)
    })
    return Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(Reactivity.layer)) as Effect.Effect<A>)
  }
  const works = (sql: SqlClient.SqlClient) => sql<{ one: number }>`select 1 as one`
  /** Asks until it is answered: what bounds a test's slow statement may hit a quick one on a busy machine. */
  const answered = (ask: Effect.Effect<ReadonlyArray<unknown>, unknown>) =>
    Effect.promise(() => until("a statement is answered", () => Effect.runPromise(ask)))
  const failed = { _tag: "StoreFailed", operation: "wait" }

  it("fails who waits too long for a connection, and serves the next once it is back", async () => {
    await run({}, (sql, pool) =>
      Effect.gen(function* () {
        const refused = Effect.gen(function* () {
          yield* sql.reserve
          // Set only now: the making of the connection above falls under it too.
          pool.options.connectionTimeoutMillis = 20
          return yield* Effect.flip(query.attempt("wait", works(sql)))
        })
        expect(yield* Effect.scoped(refused)).toMatchObject(failed)
        expect(yield* works(sql)).toEqual([{ one: 1 }])
      })
    )
  })

  it("fails at once who finds too many waiting already", async () => {
    await run({ waitersMax: 2 }, (sql) =>
      Effect.gen(function* () {
        const lease = yield* Scope.make()
        yield* Scope.provide(sql.reserve, lease)
        const waiting = yield* Effect.forkChild(Effect.all([works(sql), works(sql)], { concurrency: 2 }), {
          startImmediately: true
        })
        expect(yield* Effect.flip(query.attempt("wait", works(sql)))).toMatchObject(failed)
        yield* Scope.close(lease, Effect.runSyncExit(Effect.void))
        yield* Effect.yieldNow
        expect(yield* works(sql)).toEqual([{ one: 1 }])
        waiting.interruptUnsafe()
      })
    )
  })

  it("serves others between the statements of one account, however many of those wait", async () => {
    await run({}, (sql) =>
      Effect.gen(function* () {
        const lease = yield* Scope.make()
        yield* Scope.provide(sql.reserve, lease)
        const answered: Array<string> = []
        const ask = (name: string, account: string | undefined) =>
          Effect.provideService(
            Effect.map(works(sql), () => void answered.push(name)),
            AskedFor,
            account
          )
        const crowd = ["a1", "a2", "a3", "a4"].map((name) => ask(name, "acc_1"))
        const all = [...crowd, ask("b1", "acc_2"), ask("own", undefined)]
        const asked = yield* Effect.forkChild(Effect.all(all, { concurrency: all.length }), { startImmediately: true })
        yield* Scope.close(lease, Effect.runSyncExit(Effect.void))
        yield* Fiber.join(asked)
        expect(answered).toEqual(["a1", "own", "a2", "b1", "a3", "a4"])
      })
    )
  })

  it("gives up a connection whose answer takes too long, and goes on with a clean one", async () => {
    await run({ query_timeout: 40, statement_timeout: 0 }, (sql) =>
      Effect.gen(function* () {
        const stuck = sql.withTransaction(
          Effect.andThen(sql`create table leftover (id integer)`, sql`select pg_sleep(1)`)
        )
        expect(yield* Effect.flip(query.attempt("wait", stuck))).toMatchObject(failed)
        expect(yield* answered(sql`select to_regclass('leftover') as found`)).toEqual([{ found: null }])
      })
    )
  })

  it.skipIf(databaseKind === "embedded")("has Postgres cancel a statement that takes too long", async () => {
    await run({ statement_timeout: 40 }, (sql) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(sql`select pg_sleep(20)`)
        expect(error.reason._tag).toBe("StatementTimeoutError")
        expect(yield* answered(works(sql))).toEqual([{ one: 1 }])
      })
    )
  })

  it("reports the loss of the database to who is using it, and uses it again when it is back", async () => {
    await run({}, (sql) =>
      Effect.gen(function* () {
        yield* sql`drop table if exists kept`
        yield* sql`create table kept (id integer primary key)`
        yield* sql`insert into kept values (1)`
        const lose =
          thread === undefined
            ? Effect.exit(sql`select pg_terminate_backend(pg_backend_pid())`)
            : Effect.promise(thread.kill)
        const cut = sql.withTransaction(
          Effect.andThen(sql`insert into kept values (2)`, Effect.andThen(lose, works(sql)))
        )
        expect(yield* Effect.exit(cut)).toMatchObject({ _tag: "Failure" })
        expect(yield* query.many("read", sql`select id from kept`)).toEqual([{ id: 1 }])
      })
    )
  })
})
