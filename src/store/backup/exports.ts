/** The exports of a hub's database. Owns that one runs at a time, the hourly one, and how many are kept. */
import { join } from "node:path"
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { exportFirstMillis, exportMillis, exportRetryMillis } from "../../limits/backup.ts"
import { DatabaseHome } from "../sql/database-home.ts"
import { exportName, exportsFolder, newestExportAt, removeOldExports, removeUnfinished } from "./export-files.ts"
import { ExportFailed, exportDatabase } from "./write.ts"

/** The refusal where the database is not embedded. */
export const notEmbedded =
  "the database is the Postgres of DATABASE_URL: back it up with pg_dump, and keep HUB_SECRET_KEY (docs/deploying.md)"

const removing = (remove: () => void): Effect.Effect<void> =>
  Effect.try({ try: remove, catch: (fault) => fault }).pipe(
    Effect.catch((fault) => Effect.logWarning("what exports left behind cannot be removed", fault))
  )

const make = Effect.gen(function* () {
  const { embedded } = yield* DatabaseHome
  const alone = yield* Semaphore.make(1)
  const to = Effect.fnUntraced(function* (file: string) {
    if (embedded?.dataDir === undefined) return yield* new ExportFailed({ sentence: notEmbedded })
    const at = yield* Clock.currentTimeMillis
    return yield* exportDatabase({ dataDir: embedded.dataDir, file, at, copyLive: embedded.thread.copy })
  })

  const keepOne = Effect.fnUntraced(function* (dataDir: string) {
    const name = exportName(yield* Clock.currentTimeMillis)
    const exported = yield* alone.withPermit(to(join(exportsFolder(dataDir), name)))
    yield* Effect.logInfo("the embedded database is exported", exported)
  })

  const hourly = Effect.fnUntraced(function* (dataDir: string) {
    yield* alone.withPermit(removing(() => removeUnfinished(dataDir)))
    for (;;) {
      const newest = newestExportAt(dataDir)
      const due = newest === undefined ? 0 : newest + exportMillis - (yield* Clock.currentTimeMillis)
      // A clock that was set back delays the next one by an hour at most.
      yield* Effect.sleep(Math.min(Math.max(due, exportFirstMillis), exportMillis))
      const kept = yield* Effect.result(keepOne(dataDir))
      const now = yield* Clock.currentTimeMillis
      yield* removing(() => removeOldExports(dataDir, now))
      if (kept._tag === "Success") continue
      yield* Effect.logError("the embedded database could not be exported", { why: kept.failure.sentence })
      yield* Effect.sleep(exportRetryMillis)
    }
  })

  return {
    /** Makes one in this file. */
    to: (file: string) => alone.withPermit(to(file)),
    /** Makes one each hour into the data folder; on a Postgres it ends at once. */
    hourly: Effect.suspend(() => (embedded?.dataDir === undefined ? Effect.void : hourly(embedded.dataDir)))
  }
})

/** Exports of the database. */
export class Exports extends Context.Service<Exports, Effect.Success<typeof make>>()("hub/Exports") {
  static readonly layer = Layer.effect(Exports, make)
}
