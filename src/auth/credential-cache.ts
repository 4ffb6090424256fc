/**
 * Caches who a credential is and which credentials are unknown. Owns both bounded caches, by SHA-256 of the credential,
 * and their invalidation; asks no store. A look-up that a change overtook is not cached.
 */
import { isDeepStrictEqual } from "node:util"
import { LRUCache } from "lru-cache"
import { type Principal, programCredentialOf } from "../domain/account/principal.ts"
import {
  credentialMillisMax,
  credentialRenewMillis,
  credentialsCachedMax,
  unknownCredentialMillis,
  unknownCredentialsMax
} from "../limits.ts"
import { entriesAtMost } from "../runtime/entries-at-most.ts"

const minuteMillis = 60_000

interface Entry {
  readonly principal: Principal
  /** The same for all answers that renewed one another without a change. */
  readonly lineage: object
  /** When it was cached: a clock set back behind this time ends the entry too. */
  readonly from: number
  readonly until: number
  /** The minute its last use was noted in. */
  minute: number
  /** Whether it has been looked up again: once in its life. */
  renewed: boolean
}

export interface CredentialCache {
  /** The principal of a credential while its entry is live. Reports a use of a key or grant once per minute. */
  readonly find: (hash: string, now: number) => Principal | undefined
  /** Whether to look a valid credential up again before its entry expires; true once per entry. */
  readonly shouldRenew: (hash: string, now: number) => boolean
  /** Whether the cache still holds this answer, or one that renewed it and says the same. */
  readonly isCurrent: (principal: Principal) => boolean
  /** Whether this credential is cached as unknown. */
  readonly isUnknown: (hash: string, now: number) => boolean
  /** Read before a look-up and passed back with its answer. */
  readonly generation: () => number
  /** Caches a valid credential, never beyond `endsAt` (when it expires). */
  readonly good: (hash: string, principal: Principal, endsAt: number, now: number, generation: number) => void
  /** Caches an unknown one. */
  readonly bad: (hash: string, now: number, generation: number) => void
  /** How many valid credentials are cached. */
  readonly size: () => number
  /** Drops every entry for which this holds, and the answers of look-ups under way. */
  readonly invalidate: (which: (principal: Principal) => boolean) => void
  /** Drops the unknown ones: some may be valid from now on. */
  readonly clearUnknown: () => void
  /** Drops everything, and the answers of look-ups under way. */
  readonly clear: () => void
}

/** Makes an empty cache. `used` is called for the first use of each key and grant in a minute. */
export const makeCredentialCache = (used: (id: string, at: number) => void): CredentialCache => {
  const good = new LRUCache<string, Entry>(entriesAtMost(credentialsCachedMax))
  /** Under which hash each answer was cached, and in which lineage. */
  const cached = new WeakMap<Principal, { readonly hash: string; readonly lineage: object }>()
  const bad = new LRUCache<string, number>(entriesAtMost(unknownCredentialsMax))
  let generation = 0

  const note = (entry: Entry, now: number): void => {
    const minute = Math.floor(now / minuteMillis)
    const program = programCredentialOf(entry.principal)
    if (program === undefined || entry.minute === minute) return
    entry.minute = minute
    used(program, minute * minuteMillis)
  }

  return {
    find: (hash, now) => {
      const entry = good.get(hash)
      if (entry === undefined) return undefined
      if (entry.until <= now || entry.from > now) {
        good.delete(hash)
        return undefined
      }
      note(entry, now)
      return entry.principal
    },
    shouldRenew: (hash, now) => {
      const entry = good.peek(hash)
      if (entry === undefined || entry.renewed || now - entry.from < credentialRenewMillis) return false
      entry.renewed = true
      return true
    },
    isCurrent: (principal) => {
      const known = cached.get(principal)
      return known !== undefined && good.peek(known.hash)?.lineage === known.lineage
    },
    isUnknown: (hash, now) => {
      const until = bad.get(hash)
      return until !== undefined && until > now && until <= now + unknownCredentialMillis
    },
    generation: () => generation,
    good: (hash, principal, endsAt, now, since) => {
      const before = good.peek(hash)
      const isRenewal = before !== undefined && isDeepStrictEqual(before.principal, principal)
      const entry: Entry = {
        principal,
        lineage: isRenewal ? before.lineage : {},
        from: now,
        until: Math.min(now + credentialMillisMax, endsAt),
        minute: -1,
        renewed: false
      }
      note(entry, now)
      if (since !== generation) return
      good.set(hash, entry)
      cached.set(principal, { hash, lineage: entry.lineage })
    },
    bad: (hash, now, since) => {
      if (since !== generation) return
      bad.set(hash, now + unknownCredentialMillis)
      // It was valid before, and a second look-up says otherwise.
      good.delete(hash)
    },
    size: () => good.size,
    invalidate: (which) => {
      generation++
      for (const [hash, { principal }] of good.entries()) if (which(principal)) good.delete(hash)
    },
    clearUnknown: () => bad.clear(),
    clear: () => {
      generation++
      good.clear()
      bad.clear()
    }
  }
}
