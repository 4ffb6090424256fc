/**
 * The list of an account's daemons, a page at a time: first those that are online on any node, then the others by id.
 * Owns which daemon comes on which page, also when some come and go between two pages; reads no cursor.
 *
 * None is missed: a later page leaves out only who is online since before the first one, and so was on it or on one
 * that followed. Who goes offline between two pages may come a second time, as it is then.
 */
import { Effect } from "effect"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { pageOf } from "../../src/domain/page-cursor.ts"
import type { StoreFailed } from "../../src/errors.ts"
import { clocksApartMillisMax, listPageMax } from "../../src/limits.ts"
import type { Daemons } from "../../src/store/daemons/daemons.ts"
import type { Cluster } from "../cluster/cluster.ts"
import { byName } from "./account-index.ts"

/** Where a page begins: after this daemon of that part. `at`: when the first page was made, epoch milliseconds. */
export interface ListPlace {
  readonly at: number
  readonly part: "online" | "others"
  readonly id: string
}

/** What is asked for. Without a limit the first page has all that are online, and `listPageMax` of the others. */
export interface ListAsked {
  readonly accountId: string
  /** Those that are not online too. */
  readonly offline: boolean
  readonly limit: number | undefined
  readonly after: ListPlace | undefined
}

/** A page. */
export interface ListPage {
  readonly snapshots: ReadonlyArray<Snapshot>
  /** Where the next one begins; undefined: there is none. */
  readonly next: ListPlace | undefined
}

/** What it is made of. */
export interface ListSources {
  readonly online: (accountId: string) => Effect.Effect<ReadonlyMap<string, Snapshot>>
  readonly offline: (stored: Snapshot) => Snapshot
  readonly daemons: Pick<Daemons["Service"], "snapshots">
  readonly cluster: Pick<Cluster["Service"], "isSingleNode">
  readonly now: () => number
}

const byId = (a: Snapshot, b: Snapshot): number => (a.daemonId < b.daemonId ? -1 : 1)

/** The list. */
export const makeListing =
  ({ online, offline, daemons, cluster, now }: ListSources) =>
  (asked: ListAsked): Effect.Effect<ListPage, StoreFailed> =>
    Effect.gen(function* () {
      const { accountId, limit, after } = asked
      const there = yield* online(accountId)
      const at = after?.at ?? now()
      const shown: Array<Snapshot> = []
      if (limit === undefined && after === undefined) shown.push(...[...there.values()].sort(byName))
      else if (after?.part !== "others") {
        const from = after?.id ?? ""
        const rest = [...there.values()].filter(({ daemonId }) => daemonId > from).sort(byId)
        const { rows, last } = pageOf(rest, limit ?? listPageMax)
        if (last !== undefined) return { snapshots: rows, next: { at, part: "online", id: last.daemonId } }
        shown.push(...rows)
      }
      if (!asked.offline) return { snapshots: shown, next: undefined }
      const onEarlier = (snapshot: Snapshot): boolean =>
        (snapshot.connectedAt ?? 0) <= (cluster.isSingleNode ? at : at - clocksApartMillisMax)
      const except = new Set(shown.map(({ daemonId }) => daemonId))
      for (const snapshot of there.values()) if (onEarlier(snapshot)) except.add(snapshot.daemonId)
      const room = limit === undefined ? listPageMax : limit - shown.length
      const from = after?.part === "others" ? after.id : ""
      const page = { limit: room + 1, after: from, except: [...except] }
      const found = yield* daemons.snapshots(accountId, page)
      const { rows, last } = room === 0 ? { rows: [], last: undefined } : pageOf(found, room)
      const more = room === 0 ? found.length > 0 : last !== undefined
      const snapshots = rows
        .map((stored) => there.get(stored.daemonId) ?? offline(stored))
        .filter(({ revoked }) => !revoked)
      return {
        snapshots: [...shown, ...snapshots],
        next: more ? { at, part: "others", id: last?.daemonId ?? from } : undefined
      }
    })
