/**
 * The paged list of an account's daemons: first the daemons online on any node, then the others by id. Owns the
 * assignment of daemons to pages while presence changes between pages. Decodes no cursor.
 *
 * No daemon is missed: a later page omits only daemons that were online before the first page, because an online page
 * had them. A daemon that goes offline between two pages may appear twice, with its state of each time.
 */
import { Effect } from "effect"
import { matches, type Selector } from "../../src/domain/daemon/selector.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { pageOf } from "../../src/domain/page-cursor.ts"
import type { Overloaded, StoreFailed } from "../../src/errors.ts"
import { clocksApartMillisMax, listPageMax } from "../../src/limits.ts"
import type { Daemons } from "../../src/store/daemons/daemons.ts"
import { byName } from "./account-index.ts"

/** The start of a page: after daemon `id` of `part`. `at`: time of the first page, epoch milliseconds. */
export interface ListCursor {
  readonly at: number
  readonly part: "online" | "others"
  readonly id: string
}

/** The request. Without a limit, the first page has all online daemons and `listPageMax` others. */
export interface ListAsked {
  readonly accountId: string
  /** Whether offline daemons are included. */
  readonly offline: boolean
  readonly limit: number | undefined
  readonly after: ListCursor | undefined
  /** Only those that are meant. */
  readonly selector?: Selector | undefined
}

export interface ListPage {
  readonly snapshots: ReadonlyArray<Snapshot>
  /** The start of the next page. Undefined: the last page. */
  readonly next: ListCursor | undefined
}

/** The dependencies of the list. */
export interface ListSources {
  readonly online: (accountId: string) => Effect.Effect<ReadonlyMap<string, Snapshot>, Overloaded | StoreFailed>
  readonly offline: (stored: Snapshot) => Snapshot
  readonly daemons: Pick<Daemons["Service"], "snapshots">
  readonly isSingleNode: boolean
  readonly now: () => number
}

const byId = (a: Snapshot, b: Snapshot): number => (a.daemonId < b.daemonId ? -1 : 1)

/** Makes the list function. */
export const makeListing =
  ({ online, offline, daemons, isSingleNode, now }: ListSources) =>
  (asked: ListAsked): Effect.Effect<ListPage, Overloaded | StoreFailed> =>
    Effect.gen(function* () {
      const { accountId, limit, after, selector = [] } = asked
      const there = yield* online(accountId)
      const isMeant = (snapshot: Snapshot): boolean => matches(selector, snapshot)
      const meant = [...there.values()].filter(isMeant)
      const at = after?.at ?? now()
      const shown: Array<Snapshot> = []
      if (limit === undefined && after === undefined) shown.push(...meant.sort(byName))
      else if (after?.part !== "others") {
        const from = after?.id ?? ""
        const rest = meant.filter(({ daemonId }) => daemonId > from).sort(byId)
        const { rows, last } = pageOf(rest, limit ?? listPageMax)
        if (last !== undefined) return { snapshots: rows, next: { at, part: "online", id: last.daemonId } }
        shown.push(...rows)
      }
      if (!asked.offline) return { snapshots: shown, next: undefined }
      const onEarlier = (snapshot: Snapshot): boolean =>
        (snapshot.connectedAt ?? 0) <= (isSingleNode ? at : at - clocksApartMillisMax)
      const except = new Set(shown.map(({ daemonId }) => daemonId))
      for (const snapshot of there.values()) if (onEarlier(snapshot)) except.add(snapshot.daemonId)
      const room = limit === undefined ? listPageMax : limit - shown.length
      const from = after?.part === "others" ? after.id : ""
      const page = { limit: room + 1, after: from, except: [...except], selector }
      const found = yield* daemons.snapshots(accountId, page)
      const { rows, last } = room === 0 ? { rows: [], last: undefined } : pageOf(found, room)
      const more = room === 0 ? found.length > 0 : last !== undefined
      const snapshots = rows
        .map((stored) => there.get(stored.daemonId) ?? offline(stored))
        .filter((snapshot) => !snapshot.revoked && isMeant(snapshot))
      return {
        snapshots: [...shown, ...snapshots],
        next: more ? { at, part: "others", id: last?.daemonId ?? from } : undefined
      }
    })
