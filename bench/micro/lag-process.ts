/**
 * A program that holds the embedded database as the hub does, has it work, and watches how late its own event loop gets
 * meanwhile. Prints one JSON line `{lagMillis, queryMillis}`. Argument: how long the query is to take.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { layerThread, startThread } from "../../src/store/embedded/embedded.ts"

const wantedMillis = Number(process.argv[2])
const firstRows = 20_000
const tickMillis = 1

/** Work that keeps the database's thread busy, not asleep. */
const work = (rows: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`select count(*) from generate_series(1, ${rows}) as g where md5(g::text) like 'a%'`)
  )

const timed = <E, R>(effect: Effect.Effect<unknown, E, R>): Effect.Effect<number, E, R> =>
  Effect.suspend(() => {
    const started = performance.now()
    return Effect.map(effect, () => performance.now() - started)
  })

const measured = Effect.gen(function* () {
  // how many rows make the wanted time on this machine
  yield* work(firstRows)
  const millis = yield* timed(work(firstRows))
  const rows = Math.ceil((firstRows * wantedMillis) / millis)
  let lagMillis = 0
  let due = performance.now() + tickMillis
  const tick = setInterval(() => {
    const now = performance.now()
    lagMillis = Math.max(lagMillis, now - due)
    due = now + tickMillis
  }, tickMillis)
  const queryMillis = yield* timed(work(rows))
  clearInterval(tick)
  return { lagMillis, queryMillis }
})

const database = Layer.unwrap(Effect.map(startThread(undefined), (thread) => layerThread(thread)))
const said = await Effect.runPromise(Effect.provide(measured, database))
process.stdout.write(`${JSON.stringify(said)}\n`)
process.exit(0)
