/**
 * The store as the hub starts it: the database the settings name, migrated, then a client on it. Owns the order; the
 * migrations run on a connection of their own that has no time limits.
 */
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { Config } from "../config.ts"
import type { DatabaseNewer, HubAlreadyRunning, StoreFailed } from "../errors.ts"
import { layerThread, startThread } from "./embedded.ts"
import { claim } from "./exclusive.ts"
import { migrate } from "./migrate.ts"
import { layerPostgres } from "./postgres.ts"

/** Where the database is. */
export interface DatabasePlace {
  readonly databaseUrl: string | undefined
  readonly databaseConnections: number
  /** The data folder of the embedded database; undefined: in memory. */
  readonly dataDir: string | undefined
}

/** A migrated database as a client. */
export const layerAt = (place: DatabasePlace): Layer.Layer<SqlClient.SqlClient, StoreFailed | DatabaseNewer> =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (place.databaseUrl !== undefined) {
        yield* Effect.provide(migrate(), layerPostgres(place.databaseUrl, { max: 1, patient: true }), { local: true })
        return layerPostgres(place.databaseUrl, { max: place.databaseConnections })
      }
      const thread = yield* startThread(place.dataDir)
      yield* Effect.provide(migrate(), layerThread(thread, { patient: true }), { local: true })
      return layerThread(thread)
    })
  )

/** The database of the settings. A Postgres is this hub's alone, or of hubs that Redis joins. */
export const layer: Layer.Layer<SqlClient.SqlClient, StoreFailed | DatabaseNewer | HubAlreadyRunning, Config> =
  Layer.unwrap(
    Effect.gen(function* () {
      const settings = yield* Config
      const { databaseUrl, redisUrl } = settings
      if (databaseUrl !== undefined) yield* claim(databaseUrl, redisUrl === undefined ? "alone" : "joined")
      return layerAt(settings)
    })
  )
