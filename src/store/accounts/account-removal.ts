/**
 * The removal of an account and all that is its own. Owns which tables that is, and the steps: each a small statement,
 * so that an account of any size leaves without holding up the hub, and one that was interrupted goes on. What stays:
 * packages it published (with its id as their publisher), and the numbers of daemons' events, which are forgotten by
 * themselves.
 */
import { Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { deadlockRetriesMax } from "../../limits/delivery.ts"
import { removedRowsMax } from "../../limits/store.ts"
import * as query from "../sql/query.ts"
import { finished, pending } from "../webhooks/delivery-states.ts"
import { recordChange } from "./recorded-change.ts"

const own = `select id from webhooks where account_id = $1`

/** Rows are locked in order of id, as by every statement that writes many of them, which prevents deadlocks. */
const byId = (table: string): string => `delete from ${table} where id in (
    select id from ${table} where account_id = $1 order by id limit $2 for update
  ) returning 1`

/** The steps, each repeated until it finds nothing: referring rows go first, the account last. */
const steps: ReadonlyArray<string> = [
  // By state: each state has an index of its own.
  ...[pending, finished].map(
    (rows) => `delete from deliveries where id in (
      select id from deliveries where webhook_id in (${own}) and ${rows} limit $2
    ) returning 1`
  ),
  `delete from attempts where (delivery_id, attempt) in (
    select delivery_id, attempt from attempts where webhook_id in (${own}) limit $2
  ) returning 1`,
  `with gone as (
    delete from webhooks where id in (select id from webhooks where account_id = $1 order by id limit $2) returning id
  ), health as (
    delete from webhook_health h using gone where h.webhook_id = gone.id
  ), leases as (
    delete from webhook_leases l using gone where l.webhook_id = gone.id
  )
  select 1 from gone`,
  `delete from job_targets where ctid = any (array(
    select t.ctid from jobs j join job_targets t on t.job_id = j.id where j.account_id = $1 limit $2
  )) returning 1`,
  byId("jobs"),
  byId("commands"),
  byId("join_keys"),
  `delete from daemon_updates where daemon_id in (
    select daemon_id from daemon_updates where account_id = $1 limit $2
  ) returning 1`,
  byId("daemons"),
  byId("api_keys"),
  byId("oauth_grants"),
  byId("sessions"),
  byId("service_accounts"),
  `delete from memberships where account_id = $1 and person_id in (
    select person_id from memberships where account_id = $1
      and person_id is distinct from (select person_id from accounts where id = $1)
    order by person_id limit $2 for update
  ) returning 1`,
  `delete from idempotency where (account_id, route, key) in (
    select account_id, route, key from idempotency where account_id = $1 limit $2
  ) returning 1`,
  `delete from logged_requests where (account_id, at, id) in (
    select account_id, at, id from logged_requests where account_id = $1 limit $2
  ) returning 1`,
  `delete from turn_disabled where kind = 'account' and name = $1 and $2::int > 0 returning 1`,
  // Every statement locks a month's row before any of its blocks.
  `with months as (
    select account_id, month from usage where account_id = $1 order by month limit $2 for update
  ), blocks as (
    delete from usage_blocks b using months m where b.account_id = m.account_id and b.month = m.month
  )
  delete from usage u using months m where u.account_id = m.account_id and u.month = m.month returning 1`,
  // The membership of whose address it bears, identities, invitations and one-time codes are few: they are deleted with
  // the account.
  `delete from accounts where id = $1 and $2::int > 0 returning 1`
]

const deadlocked = (error: unknown): boolean => SqlError.isSqlError(error) && error.reason._tag === "DeadlockError"

/** What an account holds. */
export const belongings = Effect.fnUntraced(function* (accountId: string) {
  const sql = yield* SqlClient.SqlClient
  const count = (table: string, rows = "") =>
    `(select count(*) from ${table} where account_id = $1 ${rows}) as ${table}`
  const [row] = yield* query.many(
    "count what an account has",
    sql.unsafe<{ daemons: number; api_keys: number; webhooks: number }>(
      `select ${count("daemons")}, ${count("api_keys", "and revoked_at is null")}, ${count("webhooks")}`,
      [accountId]
    )
  )
  return { daemons: row!.daemons, keys: row!.api_keys, webhooks: row!.webhooks }
})

/** Pauses an account's webhooks and raises the version by which every node notices. */
export const pauseWebhooks = Effect.fnUntraced(function* (accountId: string) {
  const sql = yield* SqlClient.SqlClient
  const paused = Effect.gen(function* () {
    yield* sql.unsafe(
      `with next as (update webhook_version set version = version + 1 where id = 1 returning version)
       insert into webhook_changes (account_id, version) select $1, version from next
       on conflict (account_id) do update set version = excluded.version`,
      [accountId]
    )
    yield* sql.unsafe("update webhooks set active = false where account_id = $1", [accountId])
  })
  const change = recordChange(sql, paused, () => ({ action: "account.removed", accountId, object: accountId }))
  yield* query.attempt("pause an account's webhooks", change)
})

/** Takes one step; true when nothing of the account is left. */
export const removeSome = Effect.fnUntraced(function* (accountId: string) {
  const sql = yield* SqlClient.SqlClient
  for (const text of steps) {
    const removing = Effect.retry(sql.unsafe(text, [accountId, removedRowsMax]), {
      times: deadlockRetriesMax,
      while: deadlocked
    })
    const removed = yield* query.attempt("remove an account", removing)
    if (removed.length > 0) return false
  }
  return true
})
