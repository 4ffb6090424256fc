/** `hub backup` and `hub restore`. Owns their words; the exports are the store's (store/backup/). */
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { Clock, Effect } from "effect"
import { lockDataFolder } from "../admin/data-folder-lock.ts"
import { keyFile } from "../config/secret-key.ts"
import type { Settings } from "../config.ts"
import { plainJson } from "../runtime/escape.ts"
import { notEmbedded } from "../store/backup/exports.ts"
import { RestoreFailed, restoreDatabase } from "../store/backup/restore.ts"
import { askAndPrint } from "./admin-commands.ts"
import { sayFailure } from "./failure-sentence.ts"
import { print, printError } from "./print.ts"

/** Exports the embedded database, by the hub that runs or without one; gives the exit code. */
export const backup = (settings: Settings, file: string, json: boolean): Effect.Effect<number> => {
  if (settings.databaseUrl === undefined) return askAndPrint(settings, { op: "backup", file: resolve(file) }, json)
  return Effect.sync(() => {
    printError(`hub: ${notEmbedded}`)
    return 1
  })
}

/** Puts an export in the place of the embedded database; gives the exit code. */
export const restore = (settings: Settings, file: string, json: boolean): Effect.Effect<number> =>
  Effect.scoped(
    Effect.gen(function* () {
      if (settings.databaseUrl !== undefined)
        return yield* new RestoreFailed({
          sentence: "an export is restored into the embedded database only: unset DATABASE_URL"
        })
      yield* lockDataFolder(settings.dataDir)
      const done = yield* restoreDatabase(settings.dataDir, resolve(file), yield* Clock.currentTimeMillis)
      const [at, before] = [new Date(done.at).toISOString(), done.before ?? null]
      if (json) print(plainJson(JSON.stringify({ rows: done.rows, at, before })))
      else {
        print(`restored ${done.rows} rows as they were at ${at}`)
        if (settings.secretKey === undefined && !existsSync(join(settings.dataDir, keyFile)))
          print(
            `an export holds no secret key: put the ${keyFile} of its hub into ${settings.dataDir} before you start`
          )
        if (before !== null) print(`the database that was there lies in ${before}; remove it when all is well`)
      }
      return 0
    })
  ).pipe(Effect.catchCause(sayFailure))
