/**
 * A bounded cache of look-ups. A change voids the values that depend on it, and a look-up that a change overtakes is
 * made again. Owns which change is newer than which look-up. The caller says what changed and how to look a value up.
 */
import { Effect } from "effect"
import { LRUCache } from "lru-cache"
import { changesKeptMax } from "../limits.ts"
import { entriesAtMost } from "./entries-at-most.ts"

/** A value in the cache. */
export interface CacheEntry<A> {
  readonly value: A
}

/** The bounds of a cache, and what its values depend on. */
export interface CacheOptions<A> {
  /** Entries at most; past them the least recently used is dropped. */
  readonly max: number
  /** The sum of `sizeOf` at most. */
  readonly maxSize?: number
  readonly sizeOf?: (value: A) => number
  /** Milliseconds. An entry from the future of a clock that was set back is dropped. */
  readonly now: () => number
  /** How many milliseconds a value is kept; 0: not at all. */
  readonly lifeOf: (value: A) => number
  /** The names of what a value depends on. */
  readonly dependenciesOf: (value: A, key: string) => ReadonlyArray<string>
}

export interface InvalidatingCache<A> {
  readonly find: (key: string) => CacheEntry<A> | undefined
  /** Looks a value up and keeps it, also when an older one is cached. Concurrent look-ups are not joined. */
  readonly lookUp: <E>(key: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Voids every value that depends on this, and the look-ups under way. */
  readonly change: (dependency: string) => void
  /** Voids everything: it is not known what changed. */
  readonly clear: () => void
}

interface Entry<A> extends CacheEntry<A> {
  readonly dependencies: ReadonlyArray<string>
  readonly from: number
  readonly until: number
  /** The number of the last change that the value is newer than. */
  asOf: number
}

/** Makes an empty cache. */
export const makeInvalidatingCache = <A>(options: CacheOptions<A>): InvalidatingCache<A> => {
  const { max, maxSize, sizeOf, now, lifeOf, dependenciesOf } = options
  const entries = new LRUCache<string, Entry<A>>(
    maxSize === undefined || sizeOf === undefined
      ? entriesAtMost(max)
      : { max, maxSize, sizeCalculation: ({ value }) => Math.max(1, sizeOf(value)) }
  )
  let changes = 0
  /** A look-up that began before this change is void, whatever it depends on. */
  let voidBefore = 0
  /** The number of the last change by dependency. A forgotten one counts as a change of everything. */
  const changedAt = new LRUCache<string, number>({
    ...entriesAtMost(changesKeptMax),
    dispose: (at, _, reason) => {
      if (reason === "evict") voidBefore = Math.max(voidBefore, at)
    }
  })

  const isCurrent = (entry: Entry<A>): boolean => {
    if (entry.asOf === changes) return true
    if (entry.asOf < voidBefore) return false
    for (const dependency of entry.dependencies) if ((changedAt.peek(dependency) ?? 0) > entry.asOf) return false
    entry.asOf = changes
    return true
  }

  return {
    find: (key) => {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      const time = now()
      if (entry.from <= time && time < entry.until && isCurrent(entry)) return entry
      entries.delete(key)
      return undefined
    },
    lookUp: (key, work) => {
      const attempt: typeof work = Effect.suspend(() => {
        const asOf = changes
        return Effect.flatMap(work, (value) => {
          const from = now()
          const dependencies = dependenciesOf(value, key)
          const entry: Entry<A> = { value, dependencies, from, until: from + lifeOf(value), asOf }
          if (!isCurrent(entry)) return attempt
          if (entry.until > from) entries.set(key, entry)
          return Effect.succeed(value)
        })
      })
      return attempt
    },
    change: (dependency) => {
      changes++
      changedAt.set(dependency, changes)
    },
    clear: () => {
      changes++
      voidBefore = changes
      changedAt.clear()
      entries.clear()
    }
  }
}
