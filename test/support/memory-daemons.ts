/** A store of daemons in a map, with the faults a test wants. Owns what it holds; connects nothing. */
import { Effect } from "effect"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { StoreFailed } from "../../src/errors.ts"
import type { Daemons, TokenOwner } from "../../src/store/daemons/daemons.ts"

/** Whom a daemon's first token belongs to. */
export const newOwner = (daemonId: string, accountId: string): TokenOwner => ({
  daemonId,
  accountId,
  plan: "pro",
  revoked: false,
  tokenAt: 0,
  supersedes: false,
  accountDisabled: false,
  nickname: ""
})

/** A store of daemons in a map, with the faults a test wants. */
export interface FakeStore {
  readonly owners: Map<string, TokenOwner>
  readonly stored: Map<string, Snapshot>
  /** The connection that each stored snapshot is of. */
  readonly storedEpochs: Map<string, number>
  saves: number
  lookups: number
  failing: boolean
  /** Awaited by every look-up, when set. */
  hold: Effect.Effect<unknown> | undefined
  /** When each node said last that it is alive, and whether its bus stands. */
  readonly nodes: Map<string, { at: number; onBus: boolean }>
  /** Who is online: the number of each daemon's newest connection, its node and the beginning of its time online. */
  readonly presence: Map<string, { epoch: number; node: string | null; since: number | null; lastEndedAt?: number }>
  /** The deliveries that were committed with presence, in order. */
  readonly announced: Array<{ readonly daemonId: string; readonly event: string; readonly node: string }>
}

/** A stored snapshot, as presence has it. */
const withPresence = (store: FakeStore, snapshot: Snapshot): Snapshot => {
  const { epoch = 0, since = null } = store.presence.get(snapshot.daemonId) ?? {}
  return { ...snapshot, epoch, online: since !== null, connectedAt: since ?? snapshot.connectedAt }
}

/** What the store has of a daemon. */
export const storedIn = (store: FakeStore, daemonId: string): Snapshot | undefined => {
  const found = store.stored.get(daemonId)
  return found && withPresence(store, found)
}

/** That store; it fails while `apart` says so, too. */
export const fakeDaemons = (store: FakeStore, apart: () => boolean): Daemons["Service"] => {
  const unless = <A>(value: () => A): Effect.Effect<A, StoreFailed> =>
    Effect.suspend(() =>
      store.failing || apart() ? Effect.fail(new StoreFailed({ operation: "fake", cause: "away" })) : Effect.sync(value)
    )
  const held = Effect.suspend(() => store.hold ?? Effect.void)
  const own = (accountId: string, daemonId: string): Snapshot | undefined => {
    const found = storedIn(store, daemonId)
    return found?.accountId === accountId ? found : undefined
  }
  return {
    enrol: () => Effect.succeed(undefined),
    endOlderTokens: (hash) =>
      unless(() => {
        const newer = store.owners.get(hash)!
        for (const [older, owner] of store.owners) {
          const ends = owner.daemonId === newer.daemonId && owner.tokenAt < newer.tokenAt
          if (ends) store.owners.set(older, { ...owner, revoked: true })
        }
        store.owners.set(hash, { ...newer, supersedes: false })
      }),
    tokenOwner: (hash) =>
      unless(() => {
        store.lookups++
        return store.owners.get(hash)
      }).pipe(Effect.tap(held)),
    saveSnapshots: (snapshots) =>
      unless(() => {
        store.saves++
        for (const one of snapshots) {
          const before = store.stored.get(one.daemonId)
          if ((store.storedEpochs.get(one.daemonId) ?? 0) > one.epoch) continue
          store.storedEpochs.set(one.daemonId, one.epoch)
          store.stored.set(one.daemonId, { ...one, revoked: before?.revoked ?? false })
        }
      }),
    snapshot: (accountId, daemonId) => unless(() => own(accountId, daemonId)),
    byId: (daemonId) => unless(() => storedIn(store, daemonId)),
    snapshotsById: (accountId, ids) => unless(() => ids.flatMap((id) => own(accountId, id) ?? [])),
    snapshots: (accountId, { limit, after, except }) =>
      unless(() => {
        const all = [...store.stored.values()].map((one) => withPresence(store, one))
        const own = all.filter((one) => one.accountId === accountId && one.daemonId > after)
        const left = own.filter((one) => !one.revoked && !except.includes(one.daemonId))
        return left.sort((a, b) => (a.daemonId < b.daemonId ? -1 : 1)).slice(0, limit)
      }),
    removeEphemeral: () => Effect.succeed([]),
    enrolled: () => Effect.succeed([]),
    replaceOwnerTags: (accountId, daemonId, tags) =>
      unless(() => {
        const found = own(accountId, daemonId)
        if (found === undefined) return undefined
        const ownerTags = { tags, version: (found.ownerTags?.version ?? 0) + 1 }
        store.stored.set(daemonId, { ...found, ownerTags })
        return ownerTags
      }),
    revoke: (accountId, daemonId) =>
      unless(() => {
        const found = own(accountId, daemonId)
        if (found === undefined) return false
        store.stored.set(daemonId, { ...found, revoked: true })
        for (const [hash, owner] of store.owners) {
          if (owner.daemonId === daemonId) store.owners.set(hash, { ...owner, revoked: true })
        }
        return true
      }),
    remove: (accountId, daemonId) =>
      unless(() => {
        if (own(accountId, daemonId) === undefined) return false
        store.stored.delete(daemonId)
        store.presence.delete(daemonId)
        // no snapshot of it is taken any more
        store.storedEpochs.set(daemonId, Number.POSITIVE_INFINITY)
        for (const [hash, owner] of store.owners) if (owner.daemonId === daemonId) store.owners.delete(hash)
        return true
      })
  }
}
