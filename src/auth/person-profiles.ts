/**
 * Caches people as they see themselves: their address and the accounts that they belong to. Owns that bounded cache,
 * and voids an entry when a membership or an account changes on any node; decides nothing by it.
 */
import { Clock, Effect } from "effect"
import { LRUCache } from "lru-cache"
import { Bus } from "../bus/bus.ts"
import type { StoreFailed } from "../errors.ts"
import { credentialMillisMax, profilesMax } from "../limits.ts"
import { entriesAtMost } from "../runtime/entries-at-most.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"
import { People, type PersonsAccount } from "../store/accounts/people.ts"

/** What a person sees of themselves. */
export interface PersonProfile {
  readonly id: string
  readonly email: string
  readonly accounts: ReadonlyArray<PersonsAccount>
}

/** Makes the look-up; it follows changes until the scope closes. */
export const makePersonProfiles = Effect.gen(function* () {
  const people = yield* People
  const bus = yield* Bus
  const clock = yield* Clock.Clock
  const cache = new LRUCache<string, { readonly profile: PersonProfile; readonly until: number }>({
    ...entriesAtMost(profilesMax)
  })
  // Grows with each change: a read that a change overtook is not cached.
  let changes = 0
  const clear = (): void => {
    changes += 1
    cache.clear()
  }
  yield* bus.subscribe("member_changed", ({ member }) => {
    changes += 1
    cache.delete(member)
  })
  yield* bus.subscribe("account_changed", clear)
  yield* bus.gaps(clear)
  return (personId: string): Effect.Effect<PersonProfile | undefined, StoreFailed> =>
    Effect.suspend(() => {
      const known = cache.get(personId)
      if (known !== undefined && known.until > monotonicMillis(clock)) return Effect.succeed(known.profile)
      const before = changes
      return Effect.gen(function* () {
        const found = yield* people.byId(personId)
        if (found === undefined) return undefined
        const profile = { id: found.id, email: found.email, accounts: yield* people.accountsOf(personId) }
        if (before === changes) cache.set(personId, { profile, until: monotonicMillis(clock) + credentialMillisMax })
        return profile
      })
    })
})
