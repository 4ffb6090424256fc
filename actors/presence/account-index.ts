/** What a node keeps by machine, and in order by account. Owns the keeping; knows of a row only whose picture it is. */
import type { Picture } from "../../src/domain/daemon/snapshot.ts"

/** The order of lists: by hostname, then id. */
export const byName = (a: Picture, b: Picture): number =>
  a.hostname < b.hostname ? -1 : a.hostname > b.hostname ? 1 : a.daemonId < b.daemonId ? -1 : 1

/** The machines of one account, and their pictures in order until one of them changes. */
interface Siblings<R> {
  readonly rows: Map<string, R>
  inOrder: ReadonlyArray<Picture> | undefined
}

const nobody: ReadonlyArray<Picture> = []

/** Rows. */
export class Rows<R extends { picture: Picture }> {
  private readonly rows = new Map<string, R>()
  private readonly byAccount = new Map<string, Siblings<R>>()

  get(daemonId: string): R | undefined {
    return this.rows.get(daemonId)
  }

  /** One of a machine that has none. */
  add(row: R): R {
    const { daemonId, accountId } = row.picture
    this.rows.set(daemonId, row)
    const siblings: Siblings<R> = this.byAccount.get(accountId) ?? { rows: new Map(), inOrder: undefined }
    siblings.rows.set(daemonId, row)
    siblings.inOrder = undefined
    this.byAccount.set(accountId, siblings)
    return row
  }

  /** The only way to another picture: what was put in order before is out of date with it. */
  show(row: R, picture: Picture): void {
    row.picture = picture
    const siblings = this.byAccount.get(picture.accountId)
    if (siblings !== undefined) siblings.inOrder = undefined
  }

  remove({ picture: { daemonId, accountId } }: R): void {
    this.rows.delete(daemonId)
    const siblings = this.byAccount.get(accountId)
    if (siblings === undefined) return
    siblings.rows.delete(daemonId)
    siblings.inOrder = undefined
    if (siblings.rows.size === 0) this.byAccount.delete(accountId)
  }

  /** The pictures of an account in order: the same array until one of them changes. */
  of(accountId: string): ReadonlyArray<Picture> {
    const siblings = this.byAccount.get(accountId)
    if (siblings === undefined) return nobody
    siblings.inOrder ??= Array.from(siblings.rows.values(), ({ picture }) => picture).sort(byName)
    return siblings.inOrder
  }

  all(): ReadonlyArray<R> {
    return Array.from(this.rows.values())
  }

  get size(): number {
    return this.rows.size
  }
}
