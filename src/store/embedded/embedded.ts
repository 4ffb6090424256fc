/**
 * The embedded Postgres: PGlite in a thread of its own, so that no statement stalls the hub. Owns its pool (one
 * connection: it is one session) and the order of its end: connections first, then the database, then the thread.
 * It survives a kill of the process, not a power cut: it does not wait for the disk.
 */
import { Effect, type Layer, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type pg from "pg"
import { StoreFailed } from "../../errors.ts"
import { answerMillisMax, embeddedStartMillisMax, embeddedWaitMillisMax } from "../../limits/store.ts"
import { clientLayer, types } from "../sql/client.ts"
import { makePool } from "../sql/postgres.ts"
import { BegunOpening, beginOpening, closeOpened } from "./opening.ts"
import type { EmbeddedThread } from "./thread.ts"

/** Starts the database's thread, unless that was begun; with the scope it closes the database cleanly. */
export const startThread = (dataDir: string | undefined): Effect.Effect<EmbeddedThread, StoreFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.flatMap(BegunOpening, (begun) =>
      Effect.tryPromise({
        try: async () => {
          const opening = begun ?? beginOpening(dataDir)
          await opening.opened
          return opening
        },
        catch: (cause) => new StoreFailed({ operation: "start the embedded database", cause })
      })
    ).pipe(
      Effect.timeoutOrElse({
        duration: embeddedStartMillisMax,
        orElse: () =>
          Effect.fail(new StoreFailed({ operation: "start the embedded database", cause: new Error("took too long") }))
      })
    ),
    closeOpened
  ).pipe(Effect.map(({ thread }) => thread))

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
