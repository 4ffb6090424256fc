/** `hub migrate`. Owns its words; the steps are the store's. */
import { Effect, Layer } from "effect"
import { lockDataFolder } from "../admin/data-folder-lock.ts"
import type { Settings } from "../config.ts"
import { migrations } from "../store/migrations/index.ts"
import { layerAt } from "../store/sql/database.ts"
import { sayFailure } from "./failure-sentence.ts"
import { print } from "./print.ts"

/** Brings the database to this version; gives the exit code. */
export const migrateAndPrint = (settings: Settings, json: boolean): Effect.Effect<number> =>
  Effect.scoped(
    Effect.gen(function* () {
      if (settings.databaseUrl === undefined) yield* lockDataFolder(settings.dataDir)
      yield* Layer.build(layerAt(settings))
      const version = migrations.at(-1)?.name
      print(json ? JSON.stringify({ version }) : `the database is at ${version}`)
      return 0
    })
  ).pipe(Effect.catchCause(sayFailure))
