/**
 * A migrated database for one test file, on whichever database the project runs. Owns its making and its removal; the
 * settings point a hub at it, the layer is a client on it.
 */
import { randomBytes } from "node:crypto"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { inject } from "vitest"
import type { Settings } from "../../src/config.ts"
import type { StoreFailed } from "../../src/errors.ts"
import { databaseFolder } from "../../src/store/embedded/opening.ts"
import { layerAt } from "../../src/store/sql/database.ts"
import type { DatabaseHome } from "../../src/store/sql/database-home.ts"
import type { SchemaRefused } from "../../src/store/sql/schema-refused.ts"
import { ask, templateName } from "./postgres-server.ts"

/** Which database these tests run on. */
export const databaseKind: "embedded" | "postgres" =
  process.env["HUB_TEST_DATABASE"] === "postgres" ? "postgres" : "embedded"

/** One database of one test file. */
export interface FreshDatabase {
  /** Where a hub finds it; `dataDir` is the test's own folder on either database. */
  readonly settings: Pick<Settings, "databaseUrl" | "databaseConnections" | "dataDir">
  /** A client on it. On the embedded database only one client at a time may have it open. */
  readonly layer: Layer.Layer<SqlClient.SqlClient | DatabaseHome, StoreFailed | SchemaRefused>
  /** Removes it. Whoever uses it is closed before. */
  readonly close: () => Promise<void>
}

const connections = 6

/** Makes a database: a copy of the migrated template. */
export const freshDatabase = async (): Promise<FreshDatabase> => {
  const dataDir = mkdtempSync(join(tmpdir(), "hub-test-"))
  const removeFolder = (): void => rmSync(dataDir, { recursive: true, force: true })
  if (databaseKind === "embedded") {
    cpSync(databaseFolder(inject("templateFolder")), databaseFolder(dataDir), { recursive: true })
    const settings = { databaseUrl: undefined, databaseConnections: 1, dataDir }
    return { settings, layer: layerAt(settings), close: async () => removeFolder() }
  }
  const server = inject("postgresUrl")
  const name = `t_${randomBytes(8).toString("hex")}`
  await ask(`${server}/postgres`, `create database ${name} template ${templateName}`)
  const settings = { databaseUrl: `${server}/${name}`, databaseConnections: connections, dataDir }
  const close = async (): Promise<void> => {
    await ask(`${server}/postgres`, `drop database ${name} with (force)`)
    removeFolder()
  }
  return { settings, layer: layerAt(settings), close }
}
