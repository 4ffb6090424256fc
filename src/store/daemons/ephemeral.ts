/**
 * Removes ephemeral daemons that left long enough ago, or that never connected. Owns that none of them is connected
 * then: the row of its presence is locked, where a connection would claim it. Several nodes may do this at once.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as query from "../sql/query.ts"

/** A daemon that was removed. */
export interface RemovedDaemon {
  readonly daemonId: string
  readonly accountId: string
}

const millisPerMinute = 60_000

/** Removes some, at most `limit`. Says which. */
export const removeEphemeral = (sql: SqlClient.SqlClient) => (now: number, limit: number) =>
  Effect.gen(function* () {
    const gone = (condition: string) => `with past as (${condition}), removed as (
        delete from daemons where id = any(array(select id from past)) returning id, account_id
      ), events as (
        delete from events_seen where daemon_id in (select id from removed)
      )
      select id as "daemonId", account_id as "accountId" from removed`
    const left = yield* sql.unsafe<RemovedDaemon>(
      gone(`select d.id from daemons d join daemon_presence p on p.daemon_id = d.id
        where d.remove_after_minutes is not null and p.node is null
          and p.last_ended_at <= $1::bigint - d.remove_after_minutes * ${millisPerMinute}::bigint
        order by d.id limit $2 for update of p, d skip locked`),
      [now, limit]
    )
    if (left.length >= limit) return left
    const never = yield* sql.unsafe<RemovedDaemon>(
      gone(`select d.id from daemons d
        where d.remove_after_minutes is not null
          and d.created_at <= $1::bigint - d.remove_after_minutes * ${millisPerMinute}::bigint
          and not exists (select from daemon_presence p where p.daemon_id = d.id)
        order by d.id limit $2 for update of d skip locked`),
      [now, limit - left.length]
    )
    return [...left, ...never]
  }).pipe((removal) => query.attempt("remove ephemeral daemons", removal))
