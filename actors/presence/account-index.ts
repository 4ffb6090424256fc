/**
 * Rows by daemon, and in order by account. Of a row it knows only the snapshot. Owns that a snapshot here never has
 * older tags of its owner than those that this node was told, and who wants to know that one changed.
 */
import { LRUCache } from "lru-cache"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { newerTags, type OwnerTags, withOwnerTags } from "../../src/domain/daemon/tags.ts"
import { tagChangesKeptMax } from "../../src/limits/tags.ts"
import { entriesAtMost } from "../../src/runtime/entries-at-most.ts"
import type { DaemonTags } from "../events/daemon-tags.ts"

/** Who wants to know that a snapshot changed. A daemon without any costs a look into an empty map. */
export class SnapshotWatchers {
  readonly #byDaemon = new Map<string, Set<() => void>>()

  /** Calls at each change until the end that is returned; within the change, so a listener must return at once. */
  add(daemonId: string, listener: () => void): () => void {
    const all = this.#byDaemon.get(daemonId) ?? new Set()
    this.#byDaemon.set(daemonId, all.add(listener))
    return () => {
      all.delete(listener)
      if (all.size === 0 && this.#byDaemon.get(daemonId) === all) this.#byDaemon.delete(daemonId)
    }
  }

  /** The daemon has another snapshot, or is gone from here. */
  tell(daemonId: string): void {
    if (this.#byDaemon.size === 0) return
    for (const listener of [...(this.#byDaemon.get(daemonId) ?? [])]) listener()
  }

  /** Number of listeners of a daemon. */
  of(daemonId: string): number {
    return this.#byDaemon.get(daemonId)?.size ?? 0
  }
}

/** The order of lists: by hostname, then id. */
export const byName = (a: Snapshot, b: Snapshot): number =>
  a.hostname < b.hostname ? -1 : a.hostname > b.hostname ? 1 : a.daemonId < b.daemonId ? -1 : 1

/** The daemons of one account, and their snapshots in order until one of them changes. */
interface Siblings<R> {
  readonly rows: Map<string, R>
  inOrder: ReadonlyArray<Snapshot> | undefined
}

const none: ReadonlyArray<Snapshot> = []

/** Who is told which tags a row has. */
export type TagsShown = Pick<DaemonTags["Service"], "shown" | "gone">

export class AccountIndex<R extends { snapshot: Snapshot }> {
  private readonly rows = new Map<string, R>()
  readonly watchers = new SnapshotWatchers()
  // a daemon that is told of before it is here: what was read of it may be older
  private readonly told = new LRUCache<string, OwnerTags>(entriesAtMost(tagChangesKeptMax))
  private readonly tags: TagsShown | undefined
  private readonly byAccount = new Map<string, Siblings<R>>()

  constructor(tags?: TagsShown) {
    this.tags = tags
  }

  get(daemonId: string): R | undefined {
    return this.rows.get(daemonId)
  }

  /** One of a daemon that has none. */
  add(row: R): R {
    const { daemonId, accountId } = row.snapshot
    row.snapshot = withOwnerTags(row.snapshot, this.told.get(daemonId))
    this.rows.set(daemonId, row)
    this.tags?.shown(daemonId, row.snapshot)
    const siblings: Siblings<R> = this.byAccount.get(accountId) ?? { rows: new Map(), inOrder: undefined }
    siblings.rows.set(daemonId, row)
    siblings.inOrder = undefined
    this.byAccount.set(accountId, siblings)
    return row
  }

  /** The only way to another snapshot: what was put in order before is out of date with it. */
  show(row: R, snapshot: Snapshot): void {
    row.snapshot = withOwnerTags(snapshot, row.snapshot.ownerTags)
    this.tags?.shown(snapshot.daemonId, row.snapshot)
    const siblings = this.byAccount.get(snapshot.accountId)
    if (siblings !== undefined) siblings.inOrder = undefined
    this.watchers.tell(snapshot.daemonId)
  }

  /** The owner of a daemon, which may be on another node, gave it these tags. */
  tagged(daemonId: string, tags: OwnerTags): void {
    this.told.set(daemonId, newerTags(this.told.get(daemonId), tags) ?? tags)
    const row = this.rows.get(daemonId)
    if (row !== undefined) this.show(row, withOwnerTags(row.snapshot, tags))
  }

  remove({ snapshot: { daemonId, accountId } }: R): void {
    this.rows.delete(daemonId)
    this.tags?.gone(daemonId)
    this.watchers.tell(daemonId)
    const siblings = this.byAccount.get(accountId)
    if (siblings === undefined) return
    siblings.rows.delete(daemonId)
    siblings.inOrder = undefined
    if (siblings.rows.size === 0) this.byAccount.delete(accountId)
  }

  /** The snapshots of an account in order: the same array until one of them changes. */
  of(accountId: string): ReadonlyArray<Snapshot> {
    const siblings = this.byAccount.get(accountId)
    if (siblings === undefined) return none
    siblings.inOrder ??= Array.from(siblings.rows.values(), ({ snapshot }) => snapshot).sort(byName)
    return siblings.inOrder
  }

  all(): ReadonlyArray<R> {
    return Array.from(this.rows.values())
  }

  get size(): number {
    return this.rows.size
  }
}
