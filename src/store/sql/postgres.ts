/**
 * A real Postgres. Owns the pool and its time limits; connections that broke are replaced when the next statement needs
 * one, so a Postgres that comes back is used again without a restart.
 */
import { Effect, type Layer, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import pg from "pg"
import {
  answerMillisMax,
  connectionIdleMillisMax,
  connectionWaitMillisMax,
  statementMillisMax
} from "../../limits/store.ts"
import { watch } from "../../runtime/metrics.ts"
import { clientLayer, types } from "./client.ts"

/** How a pool is bounded. */
export interface PoolOptions {
  readonly max: number
  /** For migrations, which may take long: no time limits. */
  readonly patient?: boolean
  /** How long a statement waits for a connection; 0: as long as it takes. */
  readonly waitMillis?: number
  /** Told why each statement failed. */
  readonly failed?: (cause: unknown) => void
}

const nothing = (): void => {}

/** Shows the connections of a pool until the returned function is called. */
const watchPool = (pool: pg.Pool): (() => void) => {
  const unwatch = [
    watch("hub_database_connections", () => pool.totalCount - pool.idleCount, "busy"),
    watch("hub_database_connections", () => pool.idleCount, "idle"),
    watch("hub_database_waiters", () => pool.waitingCount)
  ]
  return () => {
    for (const one of unwatch) one()
  }
}

/** Makes a pool and ends it with the scope. A lost connection fails its statement, never the process. */
export const makePool = (config: pg.PoolConfig): Effect.Effect<pg.Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const pool = new pg.Pool(config)
      pool.on("error", nothing)
      pool.on("connect", (client) => client.on("error", nothing))
      return { pool, unwatch: watchPool(pool) }
    }),
    ({ pool, unwatch }) =>
      Effect.andThen(
        Effect.promise(() => pool.end()),
        Effect.sync(unwatch)
      )
  ).pipe(Effect.map(({ pool }) => pool))

/** The settings of a pool on a server. */
export const poolConfig = (url: string, options: PoolOptions): pg.PoolConfig => ({
  connectionString: url,
  max: options.max,
  application_name: "hub",
  types,
  keepAlive: true,
  connectionTimeoutMillis: options.waitMillis ?? connectionWaitMillisMax,
  idleTimeoutMillis: connectionIdleMillisMax,
  ...(options.patient ? {} : { statement_timeout: statementMillisMax, query_timeout: answerMillisMax })
})

/** A client on the Postgres at this address. */
export const layerPostgres = (url: string, options: PoolOptions): Layer.Layer<SqlClient.SqlClient> =>
  clientLayer("pg", makePool(poolConfig(url, options)), options)
