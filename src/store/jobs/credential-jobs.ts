/**
 * The jobs that a credential, a key or a grant, started, when that ends. Owns their cancelling; it is part of the
 * transaction that ends the credential, so that no failure leaves jobs of one that is no more.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { recordChange } from "../accounts/recorded-change.ts"

/** Keys and grants; drafts too, which are about to begin. */
const cancelText = `update jobs set stop = 'cancelled' where id = any (array(
    select id from jobs where key_id = any($1) and state = 'running' and stop is null order by id for update
  )) returning id as object, account_id as "accountId", key_id as "credentialId"`

interface Cancelled {
  readonly object: string
  readonly accountId: string
  readonly credentialId: string
}

/** Cancels the jobs of these credentials. The ids of those of one. */
export const cancelJobsOf = (sql: SqlClient.SqlClient, credentialIds: ReadonlyArray<string>) =>
  Effect.map(
    recordChange(sql, sql.unsafe<Cancelled>(cancelText, [credentialIds]), (jobs) =>
      jobs.map(({ object, accountId }) => ({ action: "job.cancelled", accountId, object }))
    ),
    (jobs) => {
      const byCredential = Map.groupBy(jobs, (job) => job.credentialId)
      return (id: string): ReadonlyArray<string> => (byCredential.get(id) ?? []).map(({ object }) => object).sort()
    }
  )
