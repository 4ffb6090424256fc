/** The schema: forward only, one node at a time, never on a newer version's database. */
import { readdirSync } from "node:fs"
import { Effect, Exit, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { layerThread, startThread } from "../../../../src/store/embedded/embedded.ts"
import { type Migration, migrations } from "../../../../src/store/migrations/index.ts"
import { migrate } from "../../../../src/store/sql/migrate.ts"
import { layerPostgres } from "../../../../src/store/sql/postgres.ts"
import { databaseKind, type FreshDatabase } from "../../../support/database.ts"
import { has } from "../../../support/machine.ts"
import { atNight } from "../../../support/run-sizes.ts"
import { useDatabase } from "../../../support/use-started.ts"

const names = migrations.map(({ name }) => name)

/** A client that migrates nothing, several connections where the database has several. */
const rawLayer = ({ settings }: FreshDatabase): Layer.Layer<SqlClient.SqlClient, unknown> =>
  settings.databaseUrl === undefined
    ? Layer.unwrap(Effect.map(startThread(settings.dataDir), (thread) => layerThread(thread)))
    : layerPostgres(settings.databaseUrl, { max: 4 })

describe("migrations", () => {
  const database = useDatabase()
  let runtime: ManagedRuntime.ManagedRuntime<SqlClient.SqlClient, unknown>
  const run = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>): Promise<A> => runtime.runPromise(effect)
  const applied = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ name: string }>`select name from hub_migrations order by id`
  )

  beforeAll(async () => {
    runtime = ManagedRuntime.make(rawLayer(database))
  })
  beforeEach(async () => {
    await run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`drop schema public cascade`))
    await run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create schema public`))
  })
  afterAll(async () => {
    await runtime?.dispose()
  })

  it("lists every file of the folder once, in order, under its number", () => {
    const folder = new URL("../../../../src/store/migrations/", import.meta.url)
    const files = readdirSync(folder).filter((file) => /^\d/u.test(file))
    expect(names.map((name) => `${name}.ts`)).toEqual(files.sort())
    const ids = migrations.map(({ id }) => id)
    expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(ids)
    expect(ids).toEqual(ids.map((_, nth) => 27 + nth))
  })

  it("takes every step once when several nodes start together, and none on the next start", async () => {
    // on the embedded database there is one node, and one connection
    const concurrency = databaseKind === "embedded" ? 1 : 3
    const taken = await run(Effect.all([migrate(), migrate(), migrate()], { concurrency }))
    expect(taken.flat().sort()).toEqual(names)
    expect(await run(migrate())).toEqual([])
    expect((await run(applied)).map(({ name }) => name)).toEqual(names)
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

  // what follows is about the steps themselves and the statements that all databases share
  if (databaseKind === "embedded" && has.postgres && !atNight) return

  const ask = <A extends object>(text: string) =>
    run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<A>(text).unprepared))

  it("counts the daemons of an account by itself: those enrolled, revoked and removed by whatever version", async () => {
    const counted = () => ask<{ daemons: number }>("select daemons from accounts order by id")
    await run(migrate())
    await ask(
      "insert into accounts (id, email, plan, created_at) select 'a' || n, n, 'free', 0 from generate_series(0, 2) n"
    )
    await ask(`insert into daemons (id, account_id, revoked, created_at)
      select 'd' || n, 'a' || n % 2, n % 5 = 0, 0 from generate_series(1, 20) n`)
    expect(await counted()).toEqual([{ daemons: 8 }, { daemons: 8 }, { daemons: 0 }])
    await ask(
      "update daemons set revoked = n < 4 from (select id, substr(id, 2)::int as n from daemons) o where o.id = daemons.id"
    )
    await ask("delete from daemons where id in ('d2', 'd4', 'd6')")
    expect(await counted()).toEqual([{ daemons: 7 }, { daemons: 8 }, { daemons: 0 }])
  })

  it("gives each account of before its person, with their credentials, and goes on with what earlier nodes write", async () => {
    const people = migrations.findIndex(({ name }) => name.endsWith("_people"))
    await run(migrate(migrations.slice(0, people)))
    const account = (id: string) =>
      ask(`insert into accounts (id, email, email_key, password_hash, plan, created_at)
        values ('acc_${id}', '${id}@x.y', '${id}@x.y', 'h', 'free', 7)`)
    const session = (id: string) =>
      ask(`insert into sessions (id, account_id, created_at, expires_at) values ('ses_${id}', 'acc_${id}', 0, 9)`)
    await account("old")
    await session("old")
    await ask(`insert into api_keys (id, account_id, name, prefix, hash, scopes, created_at)
      values ('key_old', 'acc_old', '', '', '', '{}', 0)`)
    await ask("insert into identities (issuer, subject, account_id, created_at) values ('i', 's', 'acc_old', 0)")
    await run(migrate())
    await account("new")
    await session("new")
    await ask("update accounts set password_hash = 'other' where id = 'acc_new'")
    expect(
      await ask(`select m.account_id as account, m.role, m.since, p.email, p.password_hash as hash, p.vouched,
          (select count(*) from sessions s where s.account_id = a.id and coalesce(s.person_id, a.person_id) = p.id) as sessions
        from memberships m join people p on p.id = m.person_id join accounts a on a.id = m.account_id
        order by m.account_id desc`)
    ).toEqual([
      { account: "acc_old", role: "owner", since: 7, email: "old@x.y", hash: "h", vouched: true, sessions: 1 },
      { account: "acc_new", role: "owner", since: 7, email: "new@x.y", hash: "other", vouched: true, sessions: 1 }
    ])
    await expect(account("old2").then(() => ask("delete from accounts"))).resolves.toBeDefined()
    expect(await ask("select id from people")).toEqual([])
  })

  it("tries a step again that met a node of the version before in a deadlock", async () => {
    await run(migrate())
    await ask("create sequence tries")
    const statement = `do $$ begin if nextval('tries') < 3 then
      raise exception using errcode = 'deadlock_detected'; end if; end $$`
    const step = { id: migrations.at(-1)!.id + 1, name: "again", statements: [statement] }
    expect(await run(migrate([...migrations, step]))).toEqual(["again"])
  })

  /** Says of the database what one says that took the steps up to this one by one. */
  const noteEarlier = (to: number) =>
    ask(`insert into hub_migrations (id, name, applied_at) select n, 'step ' || n, 0 from generate_series(1, ${to}) n
      on conflict (id) do update set name = excluded.name`)

  it("carries over a database of the revision that took the steps before the base one by one", async () => {
    await run(migrate(migrations.slice(0, 1)))
    await noteEarlier(27)
    expect(await run(migrate())).toEqual(names.slice(1))
  })

  it("refuses one of an earlier revision, and names the revision to go through", async () => {
    await run(migrate([]))
    await noteEarlier(26)
    const failure = await run(Effect.flip(migrate()))
    expect(failure).toMatchObject({ _tag: "DatabaseOlder", found: "step 26" })
    expect((failure as Error).message).toContain("start revision 132bee41 of the hub on it once")
    expect(await run(applied)).toHaveLength(26)
  })

  it("waits for nodes of an earlier version that were just killed, and refuses to run beside one that lives", async () => {
    const now = "(extract(epoch from clock_timestamp()) * 1000)::bigint"
    const alone = (id: number): Migration => ({ id, name: `alone ${id}`, statements: [], alone: true })
    const [first, second] = [alone(9_001), alone(9_002)]
    await run(migrate())
    await ask(`insert into nodes (node, seen_at) values ('old', ${now} - 4500)`)
    expect(await run(migrate([...migrations, first]))).toEqual([first.name])
    await ask(`update nodes set seen_at = ${now} + 60000`)
    const failure = await run(Effect.flip(migrate([...migrations, first, second])))
    expect(failure).toMatchObject({ _tag: "NodesRunning", nodes: 1, migration: second.name })
    expect((failure as Error).message).toContain("stop all nodes")
    expect((await run(applied)).map(({ name }) => name)).toEqual([...names, first.name])
  })

  it("runs again on a database to which a newer version has only added", async () => {
    await run(migrate())
    expect(await run(migrate(migrations.slice(0, 2)))).toEqual([])
    expect(await run(migrate())).toEqual([])
  })

  it("refuses a database from which a newer version has taken something, and names what it found", async () => {
    await run(migrate())
    await ask("update hub_migrations set needs = 29 where id = 29")
    const exit = await run(Effect.exit(migrate(migrations.slice(0, 2))))
    const failure = Exit.isFailure(exit) ? exit.cause.reasons[0] : undefined
    expect(failure).toMatchObject({ error: { _tag: "DatabaseNewer", found: names[2], known: names[1] } })
    expect(String((failure as unknown as { error: Error }).error.message)).toContain(names[2])
  })
})
