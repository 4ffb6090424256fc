/**
 * The clock of a database under test, by which leases and heartbeats end: what a machine that stands still would move.
 * Owns the function that is found before the database's own.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { beforeAll } from "vitest"
import type { StoreUnderTest } from "./store-services.ts"

/** Registers it with the test file that calls it. Gives what runs an effect at a time, in one transaction: its exit. */
export const useDatabaseClock = ({ sql }: Pick<StoreUnderTest<never>, "sql">) => {
  beforeAll(async () => {
    await sql("create schema clock")
    await sql(`create function clock.clock_timestamp() returns timestamptz stable language sql
      as $$ select to_timestamp(current_setting('test.now')::numeric / 1000) $$`)
  })
  return <A, E, R>(now: number, effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const client = yield* SqlClient.SqlClient
      const set = client.unsafe(
        "select set_config('search_path', 'clock, pg_catalog, public', true), set_config('test.now', $1, true)",
        [String(now)]
      )
      return yield* client.withTransaction(Effect.andThen(set, Effect.exit(effect)))
    })
}
