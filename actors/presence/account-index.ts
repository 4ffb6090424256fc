/** Rows by daemon, and in order by account. Of a row it knows only the snapshot. */
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { SnapshotWatchers } from "./snapshot-watchers.ts"

/** The order of lists: by hostname, then id. */
export const byName = (a: Snapshot, b: Snapshot): number =>
  a.hostname < b.hostname ? -1 : a.hostname > b.hostname ? 1 : a.daemonId < b.daemonId ? -1 : 1

/** The daemons of one account, and their snapshots in order until one of them changes. */
interface Siblings<R> {
  readonly rows: Map<string, R>
  inOrder: ReadonlyArray<Snapshot> | undefined
}

const none: ReadonlyArray<Snapshot> = []

/** Rows. */
export class Rows<R extends { snapshot: Snapshot }> {
  private readonly rows = new Map<string, R>()
  readonly watchers = new SnapshotWatchers()
  private readonly byAccount = new Map<string, Siblings<R>>()

  get(daemonId: string): R | undefined {
    return this.rows.get(daemonId)
  }

  /** One of a daemon that has none. */
  add(row: R): R {
    const { daemonId, accountId } = row.snapshot
    this.rows.set(daemonId, row)
    const siblings: Siblings<R> = this.byAccount.get(accountId) ?? { rows: new Map(), inOrder: undefined }
    siblings.rows.set(daemonId, row)
    siblings.inOrder = undefined
    this.byAccount.set(accountId, siblings)
    return row
  }

  /** The only way to another snapshot: what was put in order before is out of date with it. */
  show(row: R, snapshot: Snapshot): void {
    row.snapshot = snapshot
    const siblings = this.byAccount.get(snapshot.accountId)
    if (siblings !== undefined) siblings.inOrder = undefined
    this.watchers.tell(snapshot.daemonId)
  }

  remove({ snapshot: { daemonId, accountId } }: R): void {
    this.rows.delete(daemonId)
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
