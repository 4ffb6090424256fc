/** The store's connection to its database: what it stores, how it fails, and that it never stalls the hub. */
import { threadId } from "node:worker_threads"
import { Deferred, Effect, Exit, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { StoreFailed } from "../../../../src/errors.ts"
import { DatabaseHome } from "../../../../src/store/sql/database-home.ts"
import * as query from "../../../../src/store/sql/query.ts"
import { databaseKind } from "../../../support/database.ts"
import { useDatabase } from "../../../support/use-started.ts"

describe("the database", () => {
  const database = useDatabase()
  let runtime: ManagedRuntime.ManagedRuntime<SqlClient.SqlClient | DatabaseHome, unknown>
  const run = <A, E>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E, SqlClient.SqlClient>): Promise<A> =>
    runtime.runPromise(Effect.flatMap(SqlClient.SqlClient, use))

  beforeAll(async () => {
    runtime = ManagedRuntime.make(database.layer)
    await run((sql) => sql`create table things (id bigint primary key, word text, bytes bytea, facts json)`)
  })
  afterAll(async () => {
    await runtime?.dispose()
  })

  beforeEach(() => run((sql) => sql`delete from things`))

  it("gives bigint back as a number, bytea as bytes and json parsed, also inside arrays", async () => {
    const bytes = Buffer.from([0, 1, 255])
    await run(
      (sql) =>
        sql`insert into things values (${1_800_000_000_000}, ${"word"}, ${bytes}, ${{ nul: "\0", half: "\ud800" }})`
    )
    const [row] = await run((sql) => sql`select * from things where bytes = any(${[bytes]}::bytea[])`)
    expect(row).toEqual({ id: 1_800_000_000_000, word: "word", bytes, facts: { nul: "\0", half: "\ud800" } })
  })

  it("stores a NUL in a text as U+FFFD instead of failing", async () => {
    const [row] = await run((sql) => sql`select ${"a\0b"}::text as word, ${["c\0"]}::text[] as words`)
    expect(row).toEqual({ word: "a\ufffdb", words: ["c\ufffd"] })
  })

  it("names a failing operation and keeps its cause from the message", async () => {
    const exit = await run((sql) => Effect.exit(query.many("read nothing", sql`select * from no_such_table`)))
    const error = Exit.isFailure(exit) ? exit.cause.reasons[0] : undefined
    expect(error).toMatchObject({ error: { _tag: "StoreFailed", operation: "read nothing" } })
    expect((error as unknown as { error: StoreFailed }).error.message).not.toContain("no_such_table")
  })

  it("tells a unique violation by its constraint", async () => {
    const twice = (sql: SqlClient.SqlClient) => sql`insert into things (id) values (7)`
    const error = await run((sql) => Effect.flip(Effect.andThen(twice(sql), twice(sql))))
    expect(query.violates(error, "things_pkey")).toBe(true)
    expect(query.violates(error, "other")).toBe(false)
  })

  it("goes on after a failed statement, inside the same pool", async () => {
    for (let times = 0; times < 12; times++) await run((sql) => Effect.exit(sql`select nonsense`))
    await expect(run((sql) => sql`select 1 as one`)).resolves.toEqual([{ one: 1 }])
  })

  it("rolls a transaction back when it fails, and a nested one without its outer", async () => {
    await run((sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`insert into things (id) values (100)`
          yield* Effect.exit(
            sql.withTransaction(Effect.andThen(sql`insert into things (id) values (101)`, Effect.fail("no")))
          )
        })
      )
    )
    const rows = await run((sql) => sql`select id from things where id in (100, 101)`)
    expect(rows).toEqual([{ id: 100 }])
  })

  it("rolls back an interrupted transaction and lends its connection on only then", async () => {
    await run((sql) =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const work = [
          sql`insert into things (id) values (200)`,
          Deferred.succeed(begun, undefined),
          sql`select pg_sleep(0.2)`
        ]
        const never = sql.withTransaction(Effect.andThen(Effect.all(work), Effect.never))
        yield* Effect.exit(Effect.raceFirst(never, Deferred.await(begun)))
      })
    )
    const rows = await run((sql) =>
      Effect.all(Array.from({ length: 10 }, () => sql`select id from things where id = 200`))
    )
    expect(rows.flat()).toEqual([])
  })

  it.runIf(databaseKind === "embedded")("works in a thread of its own, beside the hub's", async () => {
    const home = await runtime.runPromise(DatabaseHome)
    const worker = await home.embedded!.thread.start()
    expect(worker.threadId).not.toBe(threadId)
  })
})
