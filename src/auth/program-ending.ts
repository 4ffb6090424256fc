/**
 * Ends what a program calls by, a key or a grant, with all that goes on by it: every node forgets it, and jobs that it
 * started are cancelled. Owns that order; calls that wait end by src/auth/credential-watch.ts.
 */
import { Effect } from "effect"
import { Bus } from "../bus/bus.ts"
import { Keys } from "../store/accounts/api-keys.ts"
import { Jobs } from "../store/jobs/jobs.ts"
import { Grants } from "../store/oauth/grants.ts"

const cancelJobs = Effect.fnUntraced(function* (accountId: string, program: string) {
  const jobs = yield* Jobs
  const bus = yield* Bus
  const cancelled = yield* jobs.runningOf(accountId, program)
  for (const jobId of cancelled) {
    yield* jobs.cancel(accountId, jobId)
    bus.publish("job_cancelled", { jobId })
  }
  return cancelled
})

/** A grant has ended, by whomever: its person, its client, or a secret of it that was used twice. */
export const grantEnded = Effect.fnUntraced(function* (accountId: string, grantId: string) {
  const bus = yield* Bus
  bus.publish("grant_ended", { grantId })
  yield* cancelJobs(accountId, grantId)
})

/** The cancelled jobs; undefined: the account has no such key, or it is revoked already. */
export const revokeKey = Effect.fnUntraced(function* (accountId: string, keyId: string, now: number) {
  const bus = yield* Bus
  if ((yield* (yield* Keys).revoke(accountId, keyId, now)) === undefined) return undefined
  bus.publish("key_changed", { keyId })
  bus.publish("holdings_changed", { accountId })
  return yield* cancelJobs(accountId, keyId)
})

/** `personId`: of this person only. False: there is no such grant. */
export const endGrant = Effect.fnUntraced(function* (accountId: string, personId: string | undefined, grantId: string) {
  if (!(yield* (yield* Grants).end(accountId, personId, grantId))) return false
  yield* grantEnded(accountId, grantId)
  return true
})
