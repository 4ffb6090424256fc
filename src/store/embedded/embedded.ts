/**
 * The embedded Postgres: PGlite in a thread of its own, so that no statement stalls the hub. Owns its pool (one
 * connection: it is one session) and the order of its end: connections first, then the database, then the thread.
 * It survives a kill of the process, not a power cut: it does not wait for the disk.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Layer, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type pg from "pg"
import { StoreFailed } from "../../errors.ts"
import {
  answerMillisMax,
  embeddedCloseMillisMax,
  embeddedStartMillisMax,
  embeddedWaitMillisMax
} from "../../limits/store.ts"
import { codeOf, fileFault } from "../../runtime/file-fault.ts"
import { newestExport } from "../backup/export-files.ts"
import { clientLayer, types } from "../sql/client.ts"
import { makePool } from "../sql/postgres.ts"
import { type EmbeddedThread, makeThread } from "./thread.ts"

/** Where in the data folder the database lives. */
export const databaseFolder = (dataDir: string): string => join(dataDir, "database")

const begunMark = (dataDir: string): string => join(dataDir, "database.begun")

/**
 * Starts in this folder. An interrupted first start (a full disk, a kill) leaves a folder that holds nothing and looks
 * like a database: a mark file stands beside it until the start is complete.
 */
const firstOrNext = async (dataDir: string, thread: EmbeddedThread): Promise<void> => {
  const [folder, mark] = [databaseFolder(dataDir), begunMark(dataDir)]
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true })
    rmSync(mark, { force: true })
  }
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    if (existsSync(mark)) remove()
    const first = !existsSync(folder)
    if (first) writeFileSync(mark, "", { mode: 0o600 })
    await thread.start().catch((cause) => {
      if (first) remove()
      throw cause
    })
    if (first) rmSync(mark, { force: true })
  } catch (cause) {
    const reason = codeOf(cause) === "" ? (cause as Error).message : fileFault(`the data folder ${dataDir}`, cause)
    throw new Error(`${reason}${wayBack(dataDir, folder)}`, { cause })
  }
}

const wayBack = (dataDir: string, folder: string): string => {
  const newest = newestExport(dataDir)
  if (newest === undefined || !existsSync(folder)) return ""
  return `; the newest export of ${folder} is ${newest}, and \`hub restore ${newest}\` puts it in its place`
}

/** Starts the database's thread; with the scope it closes the database cleanly. */
export const startThread = (dataDir: string | undefined): Effect.Effect<EmbeddedThread, StoreFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const thread = makeThread(dataDir === undefined ? undefined : databaseFolder(dataDir))
        await (dataDir === undefined ? thread.start() : firstOrNext(dataDir, thread))
        return thread
      },
      catch: (cause) => new StoreFailed({ operation: "start the embedded database", cause })
    }).pipe(
      Effect.timeoutOrElse({
        duration: embeddedStartMillisMax,
        orElse: () =>
          Effect.fail(new StoreFailed({ operation: "start the embedded database", cause: new Error("took too long") }))
      })
    ),
    (thread) =>
      Effect.promise(thread.close).pipe(
        Effect.timeoutOrElse({ duration: embeddedCloseMillisMax, orElse: () => Effect.promise(thread.kill) })
      )
  )

/** The settings of the pool on that thread. */
export const threadPoolConfig = (thread: EmbeddedThread, options: { readonly patient?: boolean }): pg.PoolConfig => ({
  user: "postgres",
  database: "postgres",
  max: 1,
  // Explicit, so that a PGSSLMODE of the environment has no effect.
  ssl: false,
  stream: thread.stream,
  types,
  idleTimeoutMillis: 0,
  connectionTimeoutMillis: embeddedWaitMillisMax,
  ...(options.patient ? {} : { query_timeout: answerMillisMax })
})

/** A client on a thread that runs. */
export const layerThread = (
  thread: EmbeddedThread,
  options: { readonly patient?: boolean; readonly failed?: (cause: unknown) => void } = {}
): Layer.Layer<SqlClient.SqlClient> =>
  clientLayer("pglite", makePool(threadPoolConfig(thread, options)), options.failed)

/** A client on the embedded database of this data folder; without one, it lives in memory and ends with the scope. */
export const layerEmbedded = (dataDir: string | undefined): Layer.Layer<SqlClient.SqlClient, StoreFailed> =>
  clientLayer(
    "pglite",
    Effect.flatMap(startThread(dataDir), (thread) => makePool(threadPoolConfig(thread, {})))
  )
