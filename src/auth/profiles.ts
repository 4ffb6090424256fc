/**
 * Caches accounts as their owners see them, and people as they see themselves, and voids an entry when what it shows
 * changes on any node. Owns these bounded caches; decides nothing by them.
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
import { People, type PersonsAccount } from "../store/accounts/people.ts"

/** What an account's owner sees of it. */
export interface Profile {
  readonly id: string
  readonly email: string
  readonly plan: Plan
  readonly admin: boolean
  readonly holdings: Holdings
}

/** What a person sees of themselves: their address and the accounts that they belong to. */
interface PersonProfile {
  readonly id: string
  readonly email: string
  readonly accounts: ReadonlyArray<PersonsAccount>
}

/** Makes a cache of what `read` gives for an id; what it gives for none is not kept. */
const caching = <A>(clock: Clock.Clock, read: (id: string) => Effect.Effect<A | undefined, StoreFailed>) => {
  const cache = new LRUCache<string, { readonly profile: A & {}; readonly until: number }>(entriesAtMost(profilesMax))
  // Grows with each change: a read that a change overtook is not cached.
  let changes = 0
  const profileOf = (id: string): Effect.Effect<A | undefined, StoreFailed> =>
    Effect.suspend(() => {
      const known = cache.get(id)
      if (known !== undefined && known.until > monotonicMillis(clock)) return Effect.succeed(known.profile)
      const before = changes
      return Effect.map(read(id), (profile) => {
        if (profile != null && before === changes)
          cache.set(id, { profile, until: monotonicMillis(clock) + credentialMillisMax })
        return profile
      })
    })
  return {
    profileOf,
    change: (id: string): void => {
      changes += 1
      cache.delete(id)
    },
    clear: (): void => {
      changes += 1
      cache.clear()
    }
  }
}

/** Makes the look-up of accounts; it follows changes until the scope closes. */
export const makeProfiles = Effect.gen(function* () {
  const accounts = yield* Accounts
  const sql = yield* SqlClient.SqlClient
  const bus = yield* Bus
  const clock = yield* Clock.Clock
  const { profileOf, change, clear } = caching<Profile>(
    clock,
    Effect.fnUntraced(function* (accountId) {
      const found = yield* accounts.byId(accountId)
      const holdings = yield* countHoldings(sql, accountId, clock.currentTimeMillisUnsafe())
      if (found === undefined || holdings === undefined) return undefined
      const { id, email, plan, admin } = found
      return { id, email, plan, admin, holdings }
    })
  )
  for (const topic of ["account_changed", "holdings_changed", "webhooks_changed"] as const)
    yield* bus.subscribe(topic, ({ accountId }) => change(accountId))
  yield* bus.gaps(clear)
  return profileOf
})

/** Makes the look-up of people. */
export const makePersonProfiles = Effect.gen(function* () {
  const people = yield* People
  const bus = yield* Bus
  const { profileOf, change, clear } = caching<PersonProfile>(
    yield* Clock.Clock,
    Effect.fnUntraced(function* (personId) {
      const found = yield* people.byId(personId)
      if (found === undefined) return undefined
      return { id: found.id, email: found.email, accounts: yield* people.accountsOf(personId) }
    })
  )
  yield* bus.subscribe("member_changed", ({ member }) => change(member))
  yield* bus.subscribe("account_changed", clear)
  yield* bus.gaps(clear)
  return profileOf
})
