/**
 * Accounts as their owners see them: remembered for a moment, dropped when one changes on any node. Owns that bounded
 * memory; decides nothing by it.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { LRUCache } from "lru-cache"
import { Bus } from "../bus/bus.ts"
import type { Plan } from "../domain/account/plans.ts"
import type { StoreFailed } from "../errors.ts"
import { keyringMillisMax, profilesMax } from "../limits.ts"
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

/** Makes the look-up; it hears of changes until the scope closes. */
export const makeProfiles = Effect.gen(function* () {
  const accounts = yield* Accounts
  const sql = yield* SqlClient.SqlClient
  const bus = yield* Bus
  const clock = yield* Clock.Clock
  const kept = new LRUCache<string, { readonly profile: Profile; readonly until: number }>({ max: profilesMax })
  // grows with each change: what was read before one is not kept after it
  let changes = 0
  const changed = ({ accountId }: { readonly accountId: string }): void => {
    changes += 1
    kept.delete(accountId)
  }
  yield* bus.subscribe("account_changed", changed)
  yield* bus.subscribe("holdings_changed", changed)
  yield* bus.subscribe("webhooks_changed", changed)
  yield* bus.gaps(() => {
    changes += 1
    kept.clear()
  })
  return (accountId: string): Effect.Effect<Profile | undefined, StoreFailed> =>
    Effect.suspend(() => {
      const known = kept.get(accountId)
      if (known !== undefined && known.until > monotonicMillis(clock)) return Effect.succeed(known.profile)
      const before = changes
      return Effect.gen(function* () {
        const found = yield* accounts.byId(accountId)
        const holdings = yield* countHoldings(sql, accountId, clock.currentTimeMillisUnsafe())
        if (found === undefined || holdings === undefined) return undefined
        const { id, email, plan, admin } = found
        const profile = { id, email, plan, admin, holdings }
        if (before === changes) kept.set(accountId, { profile, until: monotonicMillis(clock) + keyringMillisMax })
        return profile
      })
    })
})
