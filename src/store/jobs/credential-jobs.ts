/**
 * The jobs that a credential, a key or a grant, started, when that ends. Owns their cancelling; it is part of the
 * transaction that ends the credential, so that no failure leaves jobs of one that is no more.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { recordChange } from "../accounts/recorded-change.ts"

/** An account, a key or a grant; drafts too, which are about to begin. */
const cancelText = `update jobs set stop = 'cancelled' where id = any (array(
    select id from jobs where account_id = $1 and key_id = $2 and state = 'running' and stop is null
    order by id for update
  )) returning id`

/** Cancels the jobs of a credential. Their ids. */
export const cancelJobsOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, accountId: string, id: string) {
  const jobs = (yield* sql.unsafe<{ id: string }>(cancelText, [accountId, id])).map((job) => job.id).sort()
  for (const object of jobs)
    yield* recordChange(sql, Effect.void, () => ({ action: "job.cancelled", accountId, object }))
  return jobs as ReadonlyArray<string>
})
