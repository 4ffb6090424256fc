/**
 * Whether the store takes writes: red when it does not, green again by itself, and the embedded database opened again
 * where that heals it.
 */
import { cpSync } from "node:fs"
import { join } from "node:path"
import { Effect, Exit, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, inject, it, onTestFinished } from "vitest"
import { Readiness } from "../../../../src/runtime/readiness.ts"
import { databaseFolder } from "../../../../src/store/embedded/opening.ts"
import { layerAt } from "../../../../src/store/sql/database.ts"
import { DatabaseHome } from "../../../../src/store/sql/database-home.ts"
import { databaseKind, type FreshDatabase, freshDatabase } from "../../../support/database.ts"
import { hubProcess } from "../../../support/hub-process.ts"
import { diskMissing } from "../../../support/memory-disk.ts"
import { ask } from "../../../support/postgres-server.ts"
import { smallDisk } from "../../../support/small-disk.ts"
import { until } from "../../../support/until.ts"

describe("a store", () => {
  const opened = async (database: FreshDatabase) => {
    const layer = Readiness.layer.pipe(Layer.provideMerge(layerAt(database.settings)))
    const runtime: ManagedRuntime.ManagedRuntime<Readiness | SqlClient.SqlClient | DatabaseHome, unknown> =
      ManagedRuntime.make(layer)
    onTestFinished(() => runtime.dispose())
    const sql = <A>(work: (client: SqlClient.SqlClient) => Effect.Effect<A, unknown>) =>
      runtime.runPromise(Effect.exit(Effect.flatMap(SqlClient.SqlClient, work)))
    await runtime.runPromise(Effect.map(Readiness, ({ tell }) => tell("start", true)))
    const ready = async () =>
      (await runtime.runPromise(Effect.flatMap(Readiness, (one) => one.waitingFor))).length === 0
    const service = runtime.runPromise(DatabaseHome)
    return { sql, ready, service }
  }
  const fresh = async (): Promise<FreshDatabase> => {
    const database = await freshDatabase()
    onTestFinished(database.close)
    return database
  }

  it.runIf(databaseKind === "postgres")("is not ready while it only reads, and ready again afterwards", async () => {
    const database = await fresh()
    const url = database.settings.databaseUrl!
    const name = new URL(url).pathname.slice(1)
    const { ready } = await opened(database)
    await until("it is ready", ready)
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`
    const server = new URL("/postgres", url).href
    await ask(server, `alter database ${name} set default_transaction_read_only = on`)
    await ask(server, cut)
    await until("it is red", async () => !(await ready()))
    await ask(server, `alter database ${name} reset default_transaction_read_only`)
    await ask(server, cut)
    await until("it is green", ready)
  })

  it.runIf(databaseKind === "embedded")("that failed though its disk has room is opened again, and works", async () => {
    const database = await fresh()
    const { sql, ready, service } = await opened(database)
    const thread = async (): Promise<number> => {
      const { embedded } = await service
      return (await embedded!.thread.start()).threadId
    }
    const before = await thread()
    await sql((client) => client`create table kept as select 1 as id`)
    // What the database says when a file is in its way that it left itself as the files ran out.
    const fails = "do $$ begin raise exception 'could not create file: File exists' using errcode = '58P02'; end $$"
    expect(Exit.isFailure(await sql((client) => client.unsafe(fails).unprepared))).toBe(true)
    // nobody asks for readiness meanwhile
    await until("it is opened again", async () => (await thread()) !== before)
    expect(await sql((client) => client`select id from kept`)).toMatchObject({ value: [{ id: 1 }] })
    await until("it is ready", ready)
  })

  // A hub on a disk that is full: the embedded database's own.
  it.skipIf(diskMissing || databaseKind === "postgres")(
    "is not ready while its disk is full, and ready again by itself when it has room; nothing that was done is lost",
    async () => {
      const disk = smallDisk(150)
      const dataDir = join(disk.path, "data")
      cpSync(databaseFolder(inject("templateFolder")), databaseFolder(dataDir), { recursive: true })
      const hub = await hubProcess(dataDir, undefined, {})
      onTestFinished(async () => {
        await hub.stop()
        disk.unmount()
      })
      await hub.start()
      const account = (n: number) =>
        hub.operate({ op: "account create", email: `a${n}@example.com`, plan: "free", admin: false })
      const status = async () => (await fetch(`${hub.url}/readyz`)).status
      await account(0)
      disk.fill()
      await until("readiness is red", async () => (await status()) === 503)
      expect((await fetch(`${hub.url}/healthz`)).status).toBe(200)
      const done: Array<number> = []
      for (let n = 1; n <= 30; n++) {
        await account(n).then(
          () => done.push(n),
          () => undefined
        )
      }
      expect(await status()).toBe(503)
      disk.free()
      await until("readiness is green", async () => (await status()) === 200)
      await account(100)
      const { accounts } = (await hub.operate({ op: "account list" })) as { accounts: Array<{ email: string }> }
      const emails = accounts.map(({ email }) => email)
      expect(emails).toEqual(expect.arrayContaining([0, ...done, 100].map((n) => `a${n}@example.com`)))
    }
  )
})
