/**
 * What is remembered of credentials: who the good ones are, and which are unknown. Owns both bounded caches, by SHA-256
 * of the credential, and what drops from them; asks no store. A look-up that a change overtook is not remembered.
 */
import { LRUCache } from "lru-cache"
import type { Principal } from "../domain/account/principal.ts"
import { keyringEntriesMax, keyringMillisMax, keyringRenewMillis, unknownEntriesMax, unknownMillis } from "../limits.ts"

const minuteMillis = 60_000

interface Entry {
  readonly principal: Principal
  /** When it was remembered: a clock that was set back behind that ends it too. */
  readonly from: number
  readonly until: number
  /** The minute its last use was noted in. */
  minute: number
  /** Whether it has been looked up again, or is being: once in its life. */
  renewed: boolean
}

/** What is remembered. */
export interface Remembered {
  /** Who this is, if that is still believed. A use of a key is noted once a minute. */
  readonly find: (hash: string, now: number) => Principal | undefined
  /** Whether a good one is to be looked up again before it ends; true once in its life. */
  readonly isDue: (hash: string, now: number) => boolean
  /** Whether this answer is still the one that is remembered. */
  readonly stands: (principal: Principal) => boolean
  /** Whether this is still believed unknown. */
  readonly unknown: (hash: string, now: number) => boolean
  /** Taken before a look-up, given back with its answer. */
  readonly generation: () => number
  /** Remembers a good one, never beyond `endsAt` (when it expires). */
  readonly good: (hash: string, principal: Principal, endsAt: number, now: number, generation: number) => void
  /** Remembers an unknown one. */
  readonly bad: (hash: string, now: number, generation: number) => void
  /** How many good ones are remembered. */
  readonly size: () => number
  /** Forgets every credential for which this holds, and what is being looked up now. */
  readonly drop: (which: (principal: Principal) => boolean) => void
  /** Forgets which are unknown: some may be good from now on. */
  readonly forgetUnknown: () => void
  /** Forgets everything, and what is being looked up now. */
  readonly forget: () => void
}

/** Nothing remembered yet. `used` is told of each key's first use in a minute. */
export const makeRemembered = (used: (keyId: string, at: number) => void): Remembered => {
  const good = new LRUCache<string, Entry>({ max: keyringEntriesMax })
  /** Under which hash each answer was remembered. */
  const hashes = new WeakMap<Principal, string>()
  const bad = new LRUCache<string, number>({ max: unknownEntriesMax })
  let generation = 0

  const note = (entry: Entry, now: number): void => {
    const minute = Math.floor(now / minuteMillis)
    if (entry.principal.credential.kind !== "key" || entry.minute === minute) return
    entry.minute = minute
    used(entry.principal.credential.keyId, minute * minuteMillis)
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
    isDue: (hash, now) => {
      const entry = good.peek(hash)
      if (entry === undefined || entry.renewed || now - entry.from < keyringRenewMillis) return false
      entry.renewed = true
      return true
    },
    stands: (principal) => {
      const hash = hashes.get(principal)
      return hash !== undefined && good.peek(hash)?.principal === principal
    },
    unknown: (hash, now) => {
      const until = bad.get(hash)
      return until !== undefined && until > now && until <= now + unknownMillis
    },
    generation: () => generation,
    good: (hash, principal, endsAt, now, since) => {
      const entry: Entry = {
        principal,
        from: now,
        until: Math.min(now + keyringMillisMax, endsAt),
        minute: -1,
        renewed: false
      }
      note(entry, now)
      if (since !== generation) return
      good.set(hash, entry)
      hashes.set(principal, hash)
    },
    bad: (hash, now, since) => {
      if (since !== generation) return
      bad.set(hash, now + unknownMillis)
      // it was good a moment ago, and its second look-up says otherwise
      good.delete(hash)
    },
    size: () => good.size,
    drop: (which) => {
      generation++
      for (const [hash, { principal }] of good.entries()) if (which(principal)) good.delete(hash)
    },
    forgetUnknown: () => bad.clear(),
    forget: () => {
      generation++
      good.clear()
      bad.clear()
    }
  }
}
