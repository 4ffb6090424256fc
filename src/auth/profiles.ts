/**
 * Caches accounts as their owners see them, and voids an entry when the account changes on any node. Owns that bounded
 * cache; decides nothing by it.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { LRUCache } from "lru-cache"
import { Bus } from "../bus/bus.ts"
import type { Plan } from "../domain/account/plans.ts"
import type { StoreFailed } from "../errors.ts"
import { credentialMillisMax, profilesMax } from "../limits.ts"
import { entriesAtMost } from "../runtime/entries-at-most.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"
import { Accounts } from "../store/accounts/accounts.ts"
import { countHoldings, type Holdings } from "../store/accounts/holdings.ts"

/** What an account's owner sees of it. */
export interface Profile {
  readonly id: string
  readonly email: string
  readonly plan: Plan
  readonly admin: boolean
  readonly holdings: Holdings
}

/** Makes the look-up; it follows changes until the scope closes. */
export const makeProfiles = Effect.gen(function* () {
  const accounts = yield* Accounts
  const sql = yield* SqlClient.SqlClient
  const bus = yield* Bus
  const clock = yield* Clock.Clock
  const cache = new LRUCache<string, { readonly profile: Profile; readonly until: number }>({
    ...entriesAtMost(profilesMax)
  })
  // Grows with each change: a read that a change overtook is not cached.
  let changes = 0
  const changed = ({ accountId }: { readonly accountId: string }): void => {
    changes += 1
    cache.delete(accountId)
  }
  yield* bus.subscribe("account_changed", changed)
  yield* bus.subscribe("holdings_changed", changed)
  yield* bus.subscribe("webhooks_changed", changed)
  yield* bus.gaps(() => {
    changes += 1
    cache.clear()
  })
  return (accountId: string): Effect.Effect<Profile | undefined, StoreFailed> =>
    Effect.suspend(() => {
      const known = cache.get(accountId)
      if (known !== undefined && known.until > monotonicMillis(clock)) return Effect.succeed(known.profile)
      const before = changes
      return Effect.gen(function* () {
        const found = yield* accounts.byId(accountId)
        const holdings = yield* countHoldings(sql, accountId, clock.currentTimeMillisUnsafe())
        if (found === undefined || holdings === undefined) return undefined
        const { id, email, plan, admin } = found
        const profile = { id, email, plan, admin, holdings }
        if (before === changes) cache.set(accountId, { profile, until: monotonicMillis(clock) + credentialMillisMax })
        return profile
      })
    })
})
