/**
 * Revokes an API key with all that goes on by it: every node forgets it, and jobs that it started are cancelled. Owns
 * that order; calls that wait end by src/auth/credential-watch.ts.
 */
import { Effect } from "effect"
import { Bus } from "../bus/bus.ts"
import { Keys } from "../store/accounts/api-keys.ts"
import { Jobs } from "../store/jobs/jobs.ts"

/** The cancelled jobs; undefined: the account has no such key, or it is revoked already. */
export const revokeKey = Effect.fnUntraced(function* (accountId: string, keyId: string, now: number) {
  const keys = yield* Keys
  const jobs = yield* Jobs
  const bus = yield* Bus
  const hash = yield* keys.revoke(accountId, keyId, now)
  if (hash === undefined) return undefined
  bus.publish("key_changed", { keyId })
  bus.publish("holdings_changed", { accountId })
  const cancelled = yield* jobs.runningOf(accountId, keyId)
  for (const jobId of cancelled) {
    yield* jobs.cancel(accountId, jobId)
    bus.publish("job_cancelled", { jobId })
  }
  return cancelled
})
