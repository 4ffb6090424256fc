/**
 * Vitest's global set-up for the embedded database: a migrated data folder that each test's own is copied from, since a
 * first start takes seconds and a copy does not. Owns the template folder.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { TestProject } from "vitest/node"
import { layerAt } from "../../src/store/sql/database.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** A data folder with a migrated database in it that nobody has open. */
    templateFolder: string
  }
}

/** Makes the template once a run, for whichever project asks first: that takes several seconds of a core. */
export default async (project: TestProject): Promise<(() => void) | undefined> => {
  if (project.getProvidedContext().templateFolder !== undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), "hub-template-"))
  const place = { databaseUrl: undefined, databaseConnections: 1, dataDir: folder }
  await Effect.runPromise(Effect.provide(Effect.asVoid(SqlClient.SqlClient), layerAt(place)))
  project.vitest.getRootProject().provide("templateFolder", folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
