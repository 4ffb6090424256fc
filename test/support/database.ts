/**
 * A migrated database for one test file, on whichever database the project runs. Owns its making and its removal; the
 * settings point a hub at it, the layer is a client on it.
 */
import { randomBytes } from "node:crypto"
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type pg from "pg"
import { inject } from "vitest"
import type { Settings } from "../../src/config.ts"
import type { StoreFailed } from "../../src/errors.ts"
import { startThread, threadPoolConfig } from "../../src/store/embedded/embedded.ts"
import { databaseFolder } from "../../src/store/embedded/opening.ts"
import { clientLayer } from "../../src/store/sql/client.ts"
import { DatabaseHome, Suspicion } from "../../src/store/sql/database-home.ts"
import type { SchemaRefused } from "../../src/store/sql/migrate.ts"
import { makePool, poolConfig } from "../../src/store/sql/postgres.ts"
import { ask, templateName } from "./postgres-server.ts"

/** Which database these tests run on. */
export const databaseKind: "embedded" | "postgres" =
  process.env["HUB_TEST_DATABASE"] === "postgres" ? "postgres" : "embedded"

/** One database of one test file. */
export interface FreshDatabase {
  /** Where a hub finds it; `dataDir` is the test's own folder on either database. */
  readonly settings: Pick<Settings, "databaseUrl" | "databaseConnections" | "dataDir">
  /**
   * A client on it, without the time limits of a hub's. On the embedded database only one client at a time may have it
   * open.
   */
  readonly layer: Layer.Layer<SqlClient.SqlClient | DatabaseHome, StoreFailed | SchemaRefused>
  /** Removes it. Whoever uses it is closed before. */
  readonly close: () => Promise<void>
}

const connections = 6

/** As long as it is held, each thread of this process takes over what V8 compiled for the one before. */
const compiled: Array<WebAssembly.Module> = []

/** A hundred callers at once, or one large statement, on a busy machine: how long they take is no verdict. */
const patient = (config: pg.PoolConfig): pg.PoolConfig => ({
  ...config,
  connectionTimeoutMillis: 0,
  query_timeout: 0,
  statement_timeout: 0
})

const clientOn = ({ databaseUrl, databaseConnections, dataDir }: FreshDatabase["settings"]): FreshDatabase["layer"] =>
  Layer.unwrap(
    Effect.gen(function* () {
      const suspicion = new Suspicion()
      if (databaseUrl !== undefined) {
        const pool = makePool(patient(poolConfig(databaseUrl, { max: databaseConnections })))
        const home = Layer.succeed(DatabaseHome, { suspicion, embedded: undefined })
        return Layer.merge(clientLayer("pg", pool, { failed: suspicion.note }), home)
      }
      const thread = yield* startThread(dataDir)
      const home = Layer.succeed(DatabaseHome, { suspicion, embedded: { dataDir, thread } })
      return Layer.merge(
        clientLayer("pglite", makePool(patient(threadPoolConfig(thread, {}))), { failed: suspicion.note }),
        home
      )
    })
  )

/** Makes a database: a copy of the migrated template. */
export const freshDatabase = async (): Promise<FreshDatabase> => {
  const dataDir = mkdtempSync(join(tmpdir(), "hub-test-"))
  const removeFolder = (): void => rmSync(dataDir, { recursive: true, force: true })
  if (databaseKind === "embedded") {
    const program = new URL(import.meta.resolve("@electric-sql/pglite/pglite.wasm"))
    if (compiled.length === 0) compiled.push(new WebAssembly.Module(readFileSync(program)))
    cpSync(databaseFolder(inject("templateFolder")), databaseFolder(dataDir), { recursive: true })
    const settings = { databaseUrl: undefined, databaseConnections: 1, dataDir }
    return { settings, layer: clientOn(settings), close: async () => removeFolder() }
  }
  const server = inject("postgresUrl")
  const name = `t_${randomBytes(8).toString("hex")}`
  await ask(`${server}/postgres`, `create database ${name} template ${templateName}`)
  const settings = { databaseUrl: `${server}/${name}`, databaseConnections: connections, dataDir }
  const close = async (): Promise<void> => {
    await ask(`${server}/postgres`, `drop database ${name} with (force)`)
    removeFolder()
  }
  return { settings, layer: clientOn(settings), close }
}
