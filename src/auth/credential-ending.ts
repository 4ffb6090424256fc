/**
 * Ends a credential, a key or a grant, with all that goes on by it: the store cancels its jobs as it ends
 * it, and every node forgets it. Owns who is told; calls that wait end by src/auth/credential-watch.ts.
 */
import { Effect } from "effect"
import { Bus } from "../bus/bus.ts"
import { Keys } from "../store/accounts/api-keys.ts"
import type { EndedGrant } from "../store/oauth/grant-rows.ts"
import { Grants } from "../store/oauth/grants.ts"

const jobsCancelled = (bus: Bus["Service"], jobs: ReadonlyArray<string>): void => {
  for (const jobId of jobs) bus.publish("job_cancelled", { jobId })
}

/** A grant has ended, by whomever: its person, its client, or a secret of it that was used twice. */
export const grantEnded = Effect.fnUntraced(function* ({ grantId, cancelledJobs }: EndedGrant) {
  const bus = yield* Bus
  bus.publish("grant_ended", { grantId })
  jobsCancelled(bus, cancelledJobs)
})

/** The cancelled jobs; undefined: the account has no such key, or it is revoked already. */
export const revokeKey = Effect.fnUntraced(function* (accountId: string, keyId: string, now: number) {
  const bus = yield* Bus
  const cancelled = yield* (yield* Keys).revoke(accountId, keyId, now)
  if (cancelled === undefined) return undefined
  bus.publish("key_changed", { keyId })
  bus.publish("holdings_changed", { accountId })
  jobsCancelled(bus, cancelled)
  return cancelled
})

/** `personId`: of this person only. False: there is no such grant. */
export const endGrant = Effect.fnUntraced(function* (accountId: string, personId: string | undefined, grantId: string) {
  const ended = yield* (yield* Grants).end(accountId, personId, grantId)
  if (ended !== undefined) yield* grantEnded(ended)
  return ended !== undefined
})
