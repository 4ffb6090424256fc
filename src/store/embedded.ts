/**
 * The embedded Postgres: PGlite in a thread of its own, so that no statement stalls the hub. Owns its pool (one
 * connection: it is one session) and the order of its end: connections first, then the database, then the thread.
 * It survives a kill of the process, not a power cut: it does not wait for the disk.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Layer, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type pg from "pg"
import { StoreFailed } from "../errors.ts"
import {
  answerMillisMax,
  embeddedCloseMillisMax,
  embeddedStartMillisMax,
  embeddedWaitMillisMax
} from "../limits/store.ts"
import { type EmbeddedThread, makeThread } from "./embeddedThread.ts"
import { makePool } from "./postgres.ts"
import { clientLayer, types } from "./sql.ts"

/** Where in the data folder the database lives. */
export const databaseFolder = (dataDir: string): string => join(dataDir, "database")

/** Starts the database's thread; with the scope it closes the database cleanly. */
export const startThread = (dataDir: string | undefined): Effect.Effect<EmbeddedThread, StoreFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        if (dataDir !== undefined) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
        const thread = makeThread(dataDir === undefined ? undefined : databaseFolder(dataDir))
        await thread.start()
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
  // Said, so that no PGSSLMODE of the environment is heeded.
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
  options: { readonly patient?: boolean } = {}
): Layer.Layer<SqlClient.SqlClient> => clientLayer("pglite", makePool(threadPoolConfig(thread, options)))

/** A client on the embedded database of this data folder; without one, it lives in memory and ends with the scope. */
export const layerEmbedded = (dataDir: string | undefined): Layer.Layer<SqlClient.SqlClient, StoreFailed> =>
  clientLayer(
    "pglite",
    Effect.flatMap(startThread(dataDir), (thread) => makePool(threadPoolConfig(thread, {})))
  )
