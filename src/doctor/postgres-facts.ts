/**
 * What `hub doctor` asks of Postgres, over one connection of its own that only reads. Owns the statements; judges
 * nothing and changes nothing.
 */
import { Effect } from "effect"
import pg from "pg"
import { StoreFailed } from "../errors.ts"
import { doctorConnectMillisMax, doctorTablesMax } from "../limits/doctor.ts"
import { type AppliedStep, migrations as ours, relevantSteps } from "../store/migrations/index.ts"
import { types } from "../store/sql/client.ts"
import { type ClockOffset, clockOffset } from "./clock.ts"

const known = ours.map(({ id }) => id)

/** A table with rows that vacuum has not removed. */
export interface DeadRows {
  readonly name: string
  readonly live: number
  readonly dead: number
}

export interface PostgresFacts {
  /** As `server_version_num`: 150018. */
  readonly version: number
  /** A setting's value by its name, as `show` has it. */
  readonly settings: Readonly<Record<string, string>>
  readonly inRecovery: boolean
  readonly connections: number
  /** Those of hubs. */
  readonly hubConnections: number
  readonly oldestTransactionMillis: number
  readonly deadRows: ReadonlyArray<DeadRows>
  /** Ids of the migrations it has had, but for what a later version only added; empty before the first start. */
  readonly migrations: ReadonlyArray<number>
  /** The fingerprints of the keys that its secrets are sealed under: two while a rotation is under way. */
  readonly keyIds: ReadonlyArray<string>
  /** Accounts of several members of whom one alone is an owner. */
  readonly singleOwners: number
  readonly clock: ClockOffset
}

const settingNames = [
  "server_encoding",
  "fsync",
  "full_page_writes",
  "synchronous_commit",
  "autovacuum",
  "default_transaction_read_only",
  "max_connections",
  "superuser_reserved_connections"
]

const activity = `select count(*) filter (where backend_type = 'client backend') as connections,
  count(*) filter (where backend_type = 'client backend' and application_name like 'hub%'
    and application_name <> 'hub doctor' and datname = current_database()) as "hubConnections",
  coalesce(max(extract(epoch from clock_timestamp() - xact_start) * 1000)
    filter (where datname = current_database() and pid <> pg_backend_pid()), 0)::bigint as "oldestTransactionMillis"
  from pg_stat_activity`

const singleOwners = `select count(*) as count from (select account_id from memberships group by account_id
  having count(*) > 1 and count(*) filter (where role = 'owner') = 1) as single`

const deadRows = `select relname as name, n_live_tup as live, n_dead_tup as dead from pg_stat_user_tables
  where schemaname = current_schema() order by n_dead_tup desc limit ${doctorTablesMax}`

type Row = Readonly<Record<string, unknown>>

/** As an earlier version has it, too. */
interface KeyRow {
  readonly key_id: string
  readonly next_key_id?: string | null
}

const keyIdsIn = (row: KeyRow | undefined): ReadonlyArray<string> =>
  row === undefined ? [] : [row.key_id, ...(row.next_key_id ? [row.next_key_id] : [])]

const factsOf = (client: pg.Client): Effect.Effect<PostgresFacts, StoreFailed> => {
  const ask = (text: string, values: ReadonlyArray<unknown> = []) =>
    Effect.tryPromise({
      try: async () => (await client.query(text, [...values])).rows as ReadonlyArray<Row>,
      catch: (cause) => new StoreFailed({ operation: "answer the doctor", cause })
    })
  const askTable = Effect.fnUntraced(function* (table: string, text: string) {
    const [found] = yield* ask("select to_regclass($1) is not null as there", [table])
    return found?.["there"] === true ? yield* ask(text) : []
  })
  return Effect.gen(function* () {
    const rows = yield* ask("select name, setting from pg_settings where name = any($1)", [
      [...settingNames, "server_version_num"]
    ])
    const settings = Object.fromEntries(rows.map((row) => [String(row["name"]), String(row["setting"])]))
    const [state] = yield* ask(`select pg_is_in_recovery() as "inRecovery", a.* from (${activity}) a`)
    const migrations = yield* askTable(
      "hub_migrations",
      "select id, (to_jsonb(m) ->> 'needs')::integer as needs from hub_migrations m order by id"
    )
    const [key] = yield* askTable("secret_key", "select to_jsonb(secret_key) as row from secret_key")
    const [single] = yield* askTable("memberships", singleOwners)
    const time = ask("select (extract(epoch from clock_timestamp()) * 1000)::bigint as now")
    const bloat = yield* ask(deadRows)
    const clock = yield* clockOffset(Effect.map(time, ([row]) => Number(row?.["now"])))
    return {
      ...(state as unknown as Omit<
        PostgresFacts,
        "version" | "settings" | "migrations" | "keyIds" | "singleOwners" | "clock"
      >),
      deadRows: bloat as unknown as ReadonlyArray<DeadRows>,
      version: Number(settings["server_version_num"]),
      settings,
      migrations: relevantSteps(migrations as unknown as ReadonlyArray<AppliedStep>, known).map(({ id }) => id),
      keyIds: keyIdsIn(key?.["row"] as KeyRow | undefined),
      singleOwners: Number(single?.["count"] ?? 0),
      clock
    }
  })
}

/** All facts; fails where Postgres is out of reach. */
export const postgresFacts = (databaseUrl: string): Effect.Effect<PostgresFacts, StoreFailed> =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      try: async () => {
        const client = new pg.Client({
          connectionString: databaseUrl,
          application_name: "hub doctor",
          connectionTimeoutMillis: doctorConnectMillisMax,
          query_timeout: doctorConnectMillisMax,
          types
        })
        client.on("error", () => {}) // a statement on the lost connection says so
        await client.connect()
        return client
      },
      catch: (cause) => new StoreFailed({ operation: "reach Postgres", cause })
    }),
    factsOf,
    (client) => Effect.promise(() => client.end().catch(() => undefined))
  )
