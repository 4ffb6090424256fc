/**
 * The store as the hub starts it: the database the settings name, migrated, then a client on it. Owns the order; the
 * migrations run on a connection of their own that has no time limits. The embedded one is opened while the services
 * that use it are made, and their statements wait.
 */
import { Cause, Context, Effect, Exit, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { Config } from "../../config.ts"
import { type HubAlreadyRunning, StoreFailed } from "../../errors.ts"
import { atStart } from "../../runtime/start-work.ts"
import { fillAndLogEmailKeys } from "../accounts/email-keys.ts"
import { beginThread, layerThread, untilOpened } from "../embedded/embedded.ts"
import { DatabaseHome, Suspicion } from "./database-home.ts"
import { claim } from "./exclusive-lock.ts"
import type { SchemaRefused } from "./migrate.ts"
import { migrate } from "./migrate.ts"
import { layerPostgres, type PoolOptions } from "./postgres.ts"
import { atServer } from "./unreachable.ts"

/** Where the database is. */
export interface DatabasePlace {
  readonly databaseUrl: string | undefined
  readonly databaseConnections: number
  /** The data folder of the embedded database; undefined: in memory. */
  readonly dataDir: string | undefined
}

const migrated = Effect.andThen(migrate(), fillAndLogEmailKeys)

/** Time limits of a store's clients other than the usual ones; what tests choose differently. */
export const StoreLimits = Context.Reference<Pick<PoolOptions, "patient" | "waitMillis">>("hub/StoreLimits", {
  defaultValue: () => ({})
})

type Services = SqlClient.SqlClient | DatabaseHome

/** A migrated database as a client. */
export const layerAt = (place: DatabasePlace): Layer.Layer<Services, StoreFailed | SchemaRefused> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { dataDir, databaseUrl } = place
      const limits = yield* StoreLimits
      const suspicion = new Suspicion()
      const failed = suspicion.note
      if (databaseUrl !== undefined) {
        const patient = layerPostgres(databaseUrl, { max: 1, patient: true })
        yield* Effect.mapError(Effect.provide(migrated, patient, { local: true }), (failure) =>
          failure instanceof StoreFailed ? atServer(databaseUrl)(failure) : failure
        )
        const home = Layer.succeed(DatabaseHome, { suspicion, embedded: undefined })
        return Layer.merge(layerPostgres(databaseUrl, { ...limits, max: place.databaseConnections, failed }), home)
      }
      const opening = yield* beginThread(dataDir)
      const { thread } = opening
      const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
      // who waits for a connection hears it
      ready.catch(() => undefined)
      yield* atStart(
        Effect.andThen(
          untilOpened(opening),
          Effect.provide(migrated, layerThread(thread, { patient: true }), { local: true })
        ).pipe(
          Effect.onExit((exit) =>
            Effect.sync(() => (Exit.isSuccess(exit) ? resolve() : reject(Cause.squash(exit.cause))))
          )
        )
      )
      const home = Layer.succeed(DatabaseHome, { suspicion, embedded: { dataDir, thread } })
      return Layer.merge(layerThread(thread, { ...limits, failed, ready }), home)
    })
  )

/** The database of the settings. A Postgres is this hub's alone, or of hubs that Redis joins. */
export const layer: Layer.Layer<Services, StoreFailed | SchemaRefused | HubAlreadyRunning, Config> = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Config
    const { databaseUrl, redisUrl } = settings
    if (databaseUrl !== undefined) {
      yield* Effect.mapError(claim(databaseUrl, redisUrl === undefined ? "alone" : "joined"), (failure) =>
        failure instanceof StoreFailed ? atServer(databaseUrl)(failure) : failure
      )
    }
    return layerAt(settings)
  })
)
