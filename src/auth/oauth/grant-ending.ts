/**
 * Ends a grant with all that goes on by it: every node forgets it, and jobs that it started are cancelled. Owns that
 * order; calls that wait end by src/auth/credential-watch.ts.
 */
import { Effect } from "effect"
import { Bus } from "../../bus/bus.ts"
import { Jobs } from "../../store/jobs/jobs.ts"
import { Grants } from "../../store/oauth/grants.ts"

/** `personId`: of this person only. False: there is no such grant. */
export const endGrant = Effect.fnUntraced(function* (accountId: string, personId: string | undefined, grantId: string) {
  const grants = yield* Grants
  const jobs = yield* Jobs
  const bus = yield* Bus
  if (!(yield* grants.end(accountId, personId, grantId))) return false
  bus.publish("grant_ended", { grantId })
  for (const jobId of yield* jobs.runningOf(accountId, grantId)) {
    yield* jobs.cancel(accountId, jobId)
    bus.publish("job_cancelled", { jobId })
  }
  return true
})
