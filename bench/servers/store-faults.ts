/**
 * What is done to a Postgres under a hub, and what its tables weigh: a transaction that pins the oldest snapshot, ended
 * backends of the hub, sizes on the disk. Owns its own two connections; knows no scenario.
 */
import pg from "pg"

/** The tables that deliveries are written to. */
export const weighed = ["deliveries", "attempts", "events_seen", "webhook_health"] as const

/** A Postgres that is interfered with. */
export interface StoreFaults {
  /** Opens a transaction that sees the tables as they are now, and stays idle; the result ends it. */
  readonly pin: () => Promise<() => Promise<void>>
  /** Ends one connection of the hub, whichever; false where it has none just now. */
  readonly endBackend: () => Promise<boolean>
  /** Bytes of each table with its indexes, in the order of `weighed`. */
  readonly bytes: () => Promise<ReadonlyArray<number>>
  readonly close: () => Promise<void>
}

/** Connects to a Postgres that is a hub's. */
export const interfere = async (url: string): Promise<StoreFaults> => {
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url, application_name: "bench" })
    await client.connect()
    return client
  }
  const own = await connect()
  return {
    pin: async () => {
      const idle = await connect()
      await idle.query("begin isolation level repeatable read")
      await idle.query("select 1")
      return async () => {
        await idle.query("rollback")
        await idle.end()
      }
    },
    endBackend: async () => {
      const { rowCount } = await own.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name like 'hub%' and datname = current_database() order by random() limit 1`
      )
      return (rowCount ?? 0) > 0
    },
    bytes: async () => {
      const { rows } = await own.query<{ bytes: string }>(
        "select pg_total_relation_size(name::regclass) as bytes from unnest($1::text[]) with ordinality as t (name, at) order by at",
        [[...weighed]]
      )
      return rows.map(({ bytes }) => Number(bytes))
    },
    close: () => own.end()
  }
}
