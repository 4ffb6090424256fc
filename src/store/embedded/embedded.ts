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
import { BegunOpening, beginOpening, closeOpened, type Opening } from "./opening.ts"
import type { EmbeddedThread } from "./thread.ts"

/** The database that was begun to be opened, or is from here on; with the scope it is closed cleanly. */
export const beginThread = (dataDir: string | undefined): Effect.Effect<Opening, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.map(BegunOpening, (begun) => begun ?? beginOpening(dataDir)),
    closeOpened
  )

/** Waits until it is open. */
export const untilOpened = ({ opened }: Opening): Effect.Effect<void, StoreFailed> =>
  Effect.tryPromise({
    try: () => opened,
    catch: (cause) => new StoreFailed({ operation: "start the embedded database", cause })
  }).pipe(
    Effect.timeoutOrElse({
      duration: embeddedStartMillisMax,
      orElse: () =>
        Effect.fail(new StoreFailed({ operation: "start the embedded database", cause: new Error("took too long") }))
    })
  )

/** The same, and it is open. */
export const startThread = (dataDir: string | undefined): Effect.Effect<EmbeddedThread, StoreFailed, Scope.Scope> =>
  Effect.flatMap(beginThread(dataDir), (opening) => Effect.as(untilOpened(opening), opening.thread))

/** How a client uses the thread. */
interface ThreadClientOptions {
  /** As that of a Postgres. */
  readonly patient?: boolean
  readonly waitMillis?: number
  /** Told why each statement failed. */
  readonly failed?: (cause: unknown) => void
  /** What its statements wait for before they wait for the connection. */
  readonly ready?: Promise<unknown>
}

/** The settings of the pool on that thread. */
export const threadPoolConfig = (thread: EmbeddedThread, options: ThreadClientOptions): pg.PoolConfig => ({
  user: "postgres",
  database: "postgres",
  max: 1,
  // Explicit, so that a PGSSLMODE of the environment has no effect.
  ssl: false,
  stream: thread.stream,
  types,
  idleTimeoutMillis: 0,
  connectionTimeoutMillis: options.waitMillis ?? embeddedWaitMillisMax,
  ...(options.patient ? {} : { query_timeout: answerMillisMax })
})

/** A client on the thread of a database. */
export const layerThread = (
  thread: EmbeddedThread,
  options: ThreadClientOptions = {}
): Layer.Layer<SqlClient.SqlClient> => clientLayer("pglite", makePool(threadPoolConfig(thread, options)), options)
