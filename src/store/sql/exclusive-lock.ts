/**
 * Keeps a second hub off one Postgres unless Redis joins them: otherwise neither would know the other's daemons. A
 * single hub holds the advisory lock exclusively, joined ones share it. Owns that lock and its connection, and takes
 * the lock again after a lost connection.
 */
import { Effect, type Scope } from "effect"
import pg from "pg"
import { HubAlreadyRunning, StoreFailed } from "../../errors.ts"
import { connectionWaitMillisMax, exclusiveRetryMillis } from "../../limits/store.ts"

/** Any number but that of migrate.ts; all hubs must use the same. */
const lock = 4_827_114

interface Hold {
  readonly client: pg.Client
  readonly lost: Promise<void>
}

const operation = "claim the database"

const takers = {
  alone: "select pg_try_advisory_lock($1) as taken",
  joined: "select pg_try_advisory_lock_shared($1) as taken"
}

const take = (url: string, as: keyof typeof takers): Effect.Effect<Hold, HubAlreadyRunning | StoreFailed> =>
  Effect.tryPromise({
    try: async () => {
      const client = new pg.Client({
        connectionString: url,
        application_name: "hub (claim)",
        keepAlive: true,
        connectionTimeoutMillis: connectionWaitMillisMax
      })
      const lost = new Promise<void>((resolve) => client.once("end", resolve))
      client.on("error", () => {})
      await client.connect()
      // Postgres does not notice a client that died: keep-alives free the lock within a minute.
      await client.query("set tcp_keepalives_idle = 20; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3")
      const { rows } = await client.query(takers[as], [lock])
      if ((rows[0] as { taken: boolean }).taken) return { client, lost }
      await client.end()
      throw new HubAlreadyRunning({ joined: as === "joined" })
    },
    catch: (cause) => (cause instanceof HubAlreadyRunning ? cause : new StoreFailed({ operation, cause }))
  })

/** Holds the lock until the scope closes; fails when another hub holds it in a mode that excludes this one. */
export const claim = (
  url: string,
  as: keyof typeof takers
): Effect.Effect<void, HubAlreadyRunning | StoreFailed, Scope.Scope> =>
  Effect.gen(function* () {
    let hold = yield* take(url, as)
    let closing = false
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        closing = true
        await hold.client.end()
      })
    )
    const again = Effect.gen(function* () {
      yield* Effect.promise(() => hold.lost)
      while (!closing) {
        const next = yield* Effect.result(take(url, as))
        if (next._tag === "Success") {
          hold = next.success
          return
        }
        if (next.failure._tag === "HubAlreadyRunning") yield* Effect.logError(next.failure.message)
        yield* Effect.sleep(exclusiveRetryMillis)
      }
    })
    yield* Effect.forkScoped(Effect.forever(again))
  })
