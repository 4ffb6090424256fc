/**
 * The node of each daemon. Owns a bounded cache of reads, which are hints: a node that is asked and does not hold the
 * daemon says so, and the place is read again. Concurrent reads share statements.
 */
import { Effect, type Scope } from "effect"
import { LRUCache } from "lru-cache"
import { isId } from "../../src/domain/ids.ts"
import type { Overloaded, StoreFailed } from "../../src/errors.ts"
import { daemonLocationsMax, nodesDrainingMax } from "../../src/limits/nodes.ts"
import { entriesAtMost } from "../../src/runtime/entries-at-most.ts"
import type { DaemonLocation, PresenceStore } from "../../src/store/daemons/presence.ts"
import { makeQueryBatcher } from "../../src/store/sql/query-batcher.ts"

export interface DaemonLocations {
  /** The node of a daemon of this account, as far as it is remembered and not draining. */
  readonly remembered: (accountId: string, daemonId: string) => string | undefined
  /** Reads where a daemon of this account is. Undefined: the account has none of this id. */
  readonly read: (
    accountId: string,
    daemonId: string
  ) => Effect.Effect<DaemonLocation | undefined, Overloaded | StoreFailed>
  /** Reads where the online daemons of an account are. */
  readonly of: (accountId: string) => Effect.Effect<ReadonlyArray<DaemonLocation>, Overloaded | StoreFailed>
  readonly forget: (daemonId: string) => void
  /** The daemons of this node are on the move: no place there is believed without a look. */
  readonly draining: (node: string) => void
  readonly isDraining: (node: string) => boolean
  /** Messages may have been lost. */
  readonly clear: () => void
}

export const makeDaemonLocations = (
  store: PresenceStore["Service"]
): Effect.Effect<DaemonLocations, never, Scope.Scope> =>
  Effect.gen(function* () {
    const cache = new LRUCache<string, DaemonLocation & { readonly node: string }>({
      ...entriesAtMost(daemonLocationsMax)
    })
    const draining = new LRUCache<string, true>({ max: nodesDrainingMax })
    const lookUp = yield* makeQueryBatcher({
      name: "look up where daemons are",
      queue: "places",
      run: (ids: ReadonlyArray<string>) =>
        Effect.map(store.places(ids), (found) => {
          const byId = new Map(found.map((one) => [one.daemonId, one]))
          return ids.map((id) => byId.get(id))
        })
    })
    const online = yield* makeQueryBatcher({
      name: "look up which daemons are online",
      queue: "online daemons",
      run: (accountIds: ReadonlyArray<string>) =>
        Effect.map(store.onlineOf([...new Set(accountIds)]), (found) => {
          const byAccount = Map.groupBy(found, ({ accountId }) => accountId)
          return accountIds.map((id) => byAccount.get(id) ?? [])
        })
    })
    return {
      remembered: (accountId, daemonId) => {
        const known = cache.get(daemonId)
        return known?.accountId === accountId && !draining.has(known.node) ? known.node : undefined
      },
      read: (accountId, daemonId) =>
        isId("daemon", daemonId)
          ? Effect.map(lookUp(daemonId), (place) => {
              const node = place?.node ?? null
              if (place === undefined || node === null) cache.delete(daemonId)
              else cache.set(daemonId, { ...place, node })
              return place?.accountId === accountId ? place : undefined
            })
          : Effect.succeed(undefined),
      of: online,
      forget: (daemonId) => void cache.delete(daemonId),
      draining: (node) => void draining.set(node, true),
      isDraining: (node) => draining.has(node),
      clear: () => cache.clear()
    }
  })
