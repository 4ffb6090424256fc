/**
 * The tokens of a daemon that has several. Owns which are valid: a re-enrolment adds one, the first use of one ends the
 * older ones, and few are valid at a time. So a daemon whose new token was lost continues with its present one.
 */
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { tokensPerDaemonMax, tokenTombstonesMax } from "../../limits/store.ts"
import * as query from "../sql/query.ts"

/** A token for a daemon that exists. */
export interface NewToken {
  readonly accountId: string
  readonly daemonId: string
  /** Lower-case hex. */
  readonly tokenHash: string
  readonly name: string
  readonly now: number
}

/** When it was made, relative to its daemon's other tokens: later than each of them, whatever the nodes' clocks say. */
const add = (sql: SqlClient.SqlClient, { accountId, daemonId, tokenHash, name, now }: NewToken) => sql`
  insert into daemon_tokens (hash, daemon_id, account_id, name, created_at)
  select ${Buffer.from(tokenHash, "hex")}::bytea, ${daemonId}::text, ${accountId}::text, ${name}::text,
    greatest(${now}::bigint, coalesce(max(created_at) + 1, 0))
  from daemon_tokens where daemon_id = ${daemonId}`

/** The oldest token, which is in use, and the newest stay valid; those between were never used. */
const endSurplus = (sql: SqlClient.SqlClient, { daemonId, now }: NewToken) => sql`
  update daemon_tokens set revoked_at = ${now} where hash in (
    select hash from (
      select hash, row_number() over (order by created_at, hash) as nth,
        row_number() over (order by created_at desc, hash desc) as nth_newest
      from daemon_tokens where daemon_id = ${daemonId} and revoked_at is null
    ) as good
    where nth > 1 and nth_newest >= ${tokensPerDaemonMax}
  )`

const forgetOldest = (sql: SqlClient.SqlClient, { daemonId }: NewToken) => sql`
  delete from daemon_tokens where hash = any(array(
    select hash from daemon_tokens where daemon_id = ${daemonId} and revoked_at is not null
    order by created_at desc, hash desc offset ${tokenTombstonesMax}
  ))`

/**
 * Adds a token to a daemon that exists and whose row is locked, so that enrolments of one daemon follow one another.
 */
export const addToken = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (token: NewToken) {
    yield* add(sql, token)
    yield* endSurplus(sql, token)
    yield* forgetOldest(sql, token)
  })

/** Ends the tokens of its daemon that are older than this one, unless it has ended itself. */
export const endOlderTokens = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (tokenHash: string) {
    const now = yield* Clock.currentTimeMillis
    yield* query.run(
      "end older tokens",
      sql`
        with older as (
          select o.hash from daemon_tokens t join daemon_tokens o on o.daemon_id = t.daemon_id
          where t.hash = ${Buffer.from(tokenHash, "hex")} and t.revoked_at is null
            and o.created_at < t.created_at and o.revoked_at is null
          order by o.hash for update of o
        )
        update daemon_tokens t set revoked_at = ${now} from older where t.hash = older.hash`
    )
  })
