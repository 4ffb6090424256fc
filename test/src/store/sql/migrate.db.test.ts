/** The schema: forward only, one node at a time, never on a newer version's database. */
import { readdirSync } from "node:fs"
import { Effect, Exit, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { Nodes } from "../../../../src/store/daemons/nodes.ts"
import { PresenceStore } from "../../../../src/store/daemons/presence.ts"
import { layerThread, startThread } from "../../../../src/store/embedded/embedded.ts"
import { type Migration, migrations } from "../../../../src/store/migrations/index.ts"
import { migrate } from "../../../../src/store/sql/migrate.ts"
import { layerPostgres } from "../../../../src/store/sql/postgres.ts"
import { type FreshDatabase, freshDatabase } from "../../../support/database.ts"

const names = migrations.map(({ name }) => name)

/** A client that migrates nothing, several connections where the database has several. */
const rawLayer = ({ settings }: FreshDatabase): Layer.Layer<SqlClient.SqlClient, unknown> =>
  settings.databaseUrl === undefined
    ? Layer.unwrap(Effect.map(startThread(settings.dataDir), (thread) => layerThread(thread)))
    : layerPostgres(settings.databaseUrl, { max: 4 })

describe("migrations", () => {
  let database: FreshDatabase
  let runtime: ManagedRuntime.ManagedRuntime<SqlClient.SqlClient, unknown>
  const run = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>): Promise<A> => runtime.runPromise(effect)
  const applied = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ name: string }>`select name from hub_migrations order by id`
  )

  beforeAll(async () => {
    database = await freshDatabase()
    runtime = ManagedRuntime.make(rawLayer(database))
  })
  beforeEach(async () => {
    await run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`drop schema public cascade`))
    await run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create schema public`))
  })
  afterAll(async () => {
    await runtime?.dispose()
    await database?.close()
  })

  it("lists every file of the folder once, in order, under its number", () => {
    const folder = new URL("../../../../src/store/migrations/", import.meta.url)
    const files = readdirSync(folder).filter((file) => /^\d/u.test(file))
    expect(names.map((name) => `${name}.ts`)).toEqual(files.sort())
    expect(migrations.map(({ id, name }) => [id, Number(name.slice(0, 4))])).toEqual(
      migrations.map(({ id }) => [id, id])
    )
  })

  it("takes every step once when several nodes start together, and none on the next start", async () => {
    const taken = await run(Effect.all([migrate(), migrate(), migrate()], { concurrency: 3 }))
    expect(taken.flat().sort()).toEqual(names)
    expect(await run(migrate())).toEqual([])
    expect((await run(applied)).map(({ name }) => name)).toEqual(names)
  })

  it("counts the daemons that an account has already, and those that a node of an older version enrols", async () => {
    const daemons = (from: number, to: number) => `insert into daemons (id, account_id, revoked, created_at)
      select 'd' || n, 'a' || n % 2, n % 5 = 0, 0 from generate_series(${from}, ${to}) n`
    const ask = <A extends object>(text: string) =>
      run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<A>(text)))
    const counted = () => ask<{ daemons: number }>("select daemons from accounts order by id")
    await run(migrate(migrations.slice(0, 12)))
    await ask(
      "insert into accounts (id, email, plan, created_at) select 'a' || n, n, 'free', 0 from generate_series(0, 2) n"
    )
    await ask(daemons(1, 10))
    await run(migrate())
    expect(await counted()).toEqual([{ daemons: 4 }, { daemons: 4 }, { daemons: 0 }])
    await ask(daemons(11, 20))
    expect(await counted()).toEqual([{ daemons: 8 }, { daemons: 8 }, { daemons: 0 }])
    await ask(
      "update daemons set revoked = n < 4 from (select id, substr(id, 2)::int as n from daemons) o where o.id = daemons.id"
    )
    await ask("delete from daemons where id in ('d2', 'd4', 'd6')")
    expect(await counted()).toEqual([{ daemons: 7 }, { daemons: 8 }, { daemons: 0 }])
  })

  /** A database of the version before presence had a table of its own. */
  const makeOld = async (...statements: ReadonlyArray<string>) => {
    await run(migrate(migrations.slice(0, 15)))
    const account = "insert into accounts (id, email, plan, created_at) values ('a', 'a@example.org', 'pro', 0)"
    for (const text of [account, ...statements]) {
      await run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(text).unprepared))
    }
  }
  const daemonsBefore = `insert into daemons (id, account_id, online, epoch, connected_at, created_at) values
    ('on', 'a', true, 7, 500, 0), ('off', 'a', false, 3, 400, 0), ('new', 'a', false, 0, null, 0)`

  it("keeps who was online, for the first node that starts to take over, and the number of each newest connection", async () => {
    await makeOld(daemonsBefore)
    await run(migrate())
    const presence = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`select daemon_id as id, epoch, node, online_since as since from daemon_presence order by daemon_id`
    )
    expect(await run(presence)).toEqual([
      { id: "off", epoch: 3, node: null, since: null },
      { id: "on", epoch: 7, node: "before_0016", since: 500 }
    ])
    const store = Layer.mergeAll(PresenceStore.layer, Nodes.layer)
    const taken = Effect.gen(function* () {
      const nodes = yield* Nodes
      yield* nodes.beat("first", true)
      expect(yield* nodes.others("first")).toMatchObject([{ node: "before_0016", alive: false }])
      return yield* (yield* PresenceStore).takeOver("first", "before_0016", 10, false)
    })
    expect(await run(Effect.provide(taken, store))).toMatchObject([{ daemonId: "on", epoch: 7, connectedAt: 500 }])
  })

  it("waits for nodes of an earlier version that were just killed, and refuses to run beside one that lives", async () => {
    const now = "(extract(epoch from clock_timestamp()) * 1000)::bigint"
    await makeOld(daemonsBefore, `insert into nodes (node, seen_at) values ('old', ${now} - 4500)`)
    expect(await run(migrate())).toEqual(names.slice(15))
    await run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`drop schema public cascade`))
    await run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create schema public`))
    await makeOld(`insert into nodes (node, seen_at) values ('old', ${now} + 60000)`)
    const failure = await run(Effect.flip(migrate()))
    expect(failure).toMatchObject({ _tag: "NodesRunning", nodes: 1, migration: "0016_daemon_presence" })
    expect((failure as Error).message).toContain("stop all nodes")
    expect((await run(applied)).map(({ name }) => name)).toEqual(names.slice(0, 15))
  })

  it("takes back a step that fails half-way, and may take it again", async () => {
    const id = migrations.at(-1)!.id + 1
    const step = (...statements: ReadonlyArray<string>): ReadonlyArray<Migration> => [
      ...migrations,
      { id, name: "half", statements }
    ]
    await run(migrate())
    const broken = step("create table half (id integer primary key)", "select nonsense")
    expect(await run(Effect.flip(migrate(broken)))).toMatchObject({
      _tag: "StoreFailed",
      operation: "migrate the database"
    })
    expect(await run(migrate(step("create table half (id integer primary key)")))).toEqual(["half"])
  })

  it("refuses a database that a newer version has changed, and names what it found", async () => {
    await run(migrate())
    const exit = await run(Effect.exit(migrate(migrations.slice(0, 2))))
    const failure = Exit.isFailure(exit) ? exit.cause.reasons[0] : undefined
    expect(failure).toMatchObject({ error: { _tag: "DatabaseNewer", found: names[2], known: names[1] } })
    expect(String((failure as unknown as { error: Error }).error.message)).toContain(names[2])
  })
})
