/** Counts what an account holds of what its plan limits by number. Owns the count; each store refuses by itself. */
import type { SqlClient } from "effect/sql"
import * as query from "../sql/query.ts"

/** How many an account has. */
export interface Holdings {
  /** Enrolled and not revoked. */
  readonly daemons: number
  /** Neither revoked nor expired. */
  readonly apiKeys: number
  /** Inactive ones included. */
  readonly webhooks: number
  /** Members, and invitations that wait. */
  readonly people: number
  /** Disabled ones included. */
  readonly serviceAccounts: number
}

/** Counts the holdings of an account. Undefined: no such account. */
export const countHoldings = (sql: SqlClient.SqlClient, accountId: string, now: number) =>
  query.one(
    "count what an account holds",
    sql<Holdings>`select a.daemons,
          (select count(*) from api_keys where account_id = a.id and revoked_at is null
            and (expires_at is null or expires_at > ${now}::bigint)) as "apiKeys",
          (select count(*) from webhooks where account_id = a.id) as webhooks,
          (select count(*) from memberships where account_id = a.id)
            + (select count(*) from invitations where account_id = a.id and expires_at > ${now}::bigint) as people,
          (select count(*) from service_accounts where account_id = a.id) as "serviceAccounts"
        from accounts a where a.id = ${accountId}`
  )
