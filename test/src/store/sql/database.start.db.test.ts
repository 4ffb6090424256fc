/** How the store starts and ends: what it keeps over an end, clean or not, and whom it refuses. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it, onTestFinished } from "vitest"
import { Config, defaultSettings, type Settings } from "../../../../src/config.ts"
import { makeStartWork, StartWork } from "../../../../src/runtime/start-work.ts"
import { layerThread, startThread } from "../../../../src/store/embedded/embedded.ts"
import { BegunOpening, beginOpening } from "../../../../src/store/embedded/opening.ts"
import { migrations } from "../../../../src/store/migrations/index.ts"
import { layer } from "../../../../src/store/sql/database.ts"
import { databaseKind } from "../../../support/database.ts"
import { ask } from "../../../support/postgres-server.ts"
import { until } from "../../../support/until.ts"
import { useDatabase } from "../../../support/use-started.ts"

describe("the store at its start and end", () => {
  const database = useDatabase()

  const settings = (extra: Partial<Settings> = {}): Settings => ({
    ...defaultSettings,
    secretKey: new Uint8Array(32),
    ...database.settings,
    ...extra
  })
  const started = (extra: Partial<Settings> = {}) => layer.pipe(Layer.provide(Config.layer(settings(extra))))
  const use = <A, E>(
    effect: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>,
    extra: Partial<Settings> = {}
  ): Promise<A> =>
    Effect.runPromise(
      Effect.provide(Effect.flatMap(SqlClient.SqlClient, effect), started(extra), { local: true }) as Effect.Effect<A>
    )

  it("finds after a clean end what it kept", async () => {
    await use((sql) => sql`drop table if exists kept`)
    await use((sql) => sql`create table kept (id integer primary key)`)
    await use((sql) => sql`insert into kept values (1)`)
    expect(await use((sql) => sql`select id from kept`)).toEqual([{ id: 1 }])
  })

  it.skipIf(databaseKind === "postgres")(
    "finds after a crash what was committed, and nothing that was not",
    async () => {
      await use((sql) => sql`drop table if exists crashed`)
      await use((sql) => sql`create table crashed (id integer primary key)`)
      const crash = Effect.gen(function* () {
        const thread = yield* startThread(database.settings.dataDir)
        yield* Effect.provide(
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            yield* sql`insert into crashed values (1)`
            const cut = Effect.andThen(sql`insert into crashed values (2)`, Effect.promise(thread.kill))
            yield* Effect.exit(sql.withTransaction(Effect.andThen(cut, sql`select 1`)))
          }),
          layerThread(thread),
          { local: true }
        )
      })
      await Effect.runPromise(Effect.scoped(crash))
      expect(await use((sql) => sql`select id from crashed`)).toEqual([{ id: 1 }])
    }
  )

  it.skipIf(databaseKind === "postgres")(
    "takes the database that was begun to be opened, and closes it at its end",
    async () => {
      const begun = beginOpening(database.settings.dataDir)
      const asked = Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ id: number }>`select 1 as id`)
      const rows = await Effect.runPromise(
        Effect.provideService(Effect.provide(asked, started(), { local: true }), BegunOpening, begun) as Effect.Effect<
          ReadonlyArray<{ id: number }>
        >
      )
      expect(rows).toEqual([{ id: 1 }])
      await expect(begun.thread.start()).rejects.toThrow("is closed")
    }
  )

  it.skipIf(databaseKind === "postgres")(
    "is a client at once where a node starts, whose statements wait until the database is open and migrated",
    async () => {
      const begun = beginOpening(database.settings.dataDir)
      let opened = false
      void begun.opened.then(() => {
        opened = true
      })
      const asked = Effect.gen(function* () {
        const work = yield* makeStartWork
        const context = yield* Effect.provideService(Layer.build(started()), StartWork, work)
        const before = opened
        const rows = yield* Context.get(context, SqlClient.SqlClient)<{ name: string }>`select name from hub_migrations`
        yield* work.done
        return { before, opened, rows: rows.length }
      })
      const seen = await Effect.runPromise(
        Effect.provideService(Effect.scoped(asked), BegunOpening, begun) as Effect.Effect<object>
      )
      expect(seen).toEqual({ before: false, opened: true, rows: migrations.length })
    }
  )

  it.skipIf(databaseKind === "postgres")(
    "fails the start of a node with the database, and what waits for it, and says why",
    async () => {
      const dataDir = join(database.settings.dataDir, "damaged")
      mkdirSync(join(dataDir, "database"), { recursive: true })
      writeFileSync(join(dataDir, "database/PG_VERSION"), "none")
      const asked = Effect.gen(function* () {
        const work = yield* makeStartWork
        const context = yield* Effect.provideService(Layer.build(started({ dataDir })), StartWork, work)
        const waits = Effect.flip(Context.get(context, SqlClient.SqlClient)`select 1`)
        return yield* Effect.all([Effect.flip(work.done), waits])
      })
      const [failure, waiting] = await Effect.runPromise(Effect.orDie(Effect.scoped(asked)))
      expect(failure).toMatchObject({ _tag: "StoreFailed", operation: "start the embedded database" })
      expect(waiting).toMatchObject({ _tag: "SqlError" })
    }
  )

  it("fails to start where there is no database, and says so", async () => {
    const nowhere = { databaseUrl: "postgres://127.0.0.1:1/none" }
    const exit = await Effect.runPromise(
      Effect.exit(Effect.provide(Effect.asVoid(SqlClient.SqlClient), started(nowhere), { local: true }))
    )
    expect(Exit.isFailure(exit) ? exit.cause.reasons[0] : undefined).toMatchObject({ error: { _tag: "StoreFailed" } })
  })

  describe.skipIf(databaseKind === "embedded")("on one Postgres", () => {
    const running = async (extra: Partial<Settings> = {}) => {
      const lifetime = Scope.makeUnsafe()
      const close = () => Effect.runPromise(Scope.close(lifetime, Exit.void))
      onTestFinished(close)
      const exit = await Effect.runPromise(Effect.exit(Layer.buildWithScope(Layer.fresh(started(extra)), lifetime)))
      return { exit, close }
    }
    const refused = { cause: { reasons: [{ error: { _tag: "HubAlreadyRunning" } }] } }
    const joined = { redisUrl: "redis://127.0.0.1:1" }

    it("refuses a second hub without Redis, until the first has ended", async () => {
      const first = await running()
      expect(Exit.isSuccess(first.exit)).toBe(true)
      expect((await running()).exit).toMatchObject(refused)
      await first.close()
      const next = await running()
      expect(Exit.isSuccess(next.exit)).toBe(true)
      await next.close()
    })

    it("lets several hubs start that Redis joins", async () => {
      const hubs = [await running(joined), await running(joined)]
      expect(hubs.map(({ exit }) => Exit.isSuccess(exit))).toEqual([true, true])
      for (const { close } of hubs) await close()
    })

    it("refuses a hub without Redis beside one that Redis joins, and the other way round", async () => {
      for (const [one, other] of [
        [joined, {}],
        [{}, joined]
      ]) {
        const first = await running(one)
        expect(Exit.isSuccess(first.exit)).toBe(true)
        expect((await running(other)).exit).toMatchObject(refused)
        await first.close()
        const next = await running(other)
        expect(Exit.isSuccess(next.exit)).toBe(true)
        await next.close()
      }
    })

    it("takes its claim again after Postgres has cut it off", async () => {
      const first = await running()
      const url = database.settings.databaseUrl!
      const cut =
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'hub (claim)' and datname = current_database()"
      await ask(url, cut)
      await until("the second hub is refused again", async () => {
        const second = await running()
        await second.close()
        return Exit.isFailure(second.exit)
      })
      await first.close()
    })
  })
})
