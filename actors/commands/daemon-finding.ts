/**
 * Finds daemons of an account: those that are connected in memory, then the others in the store. Owns how the pages of
 * both follow each other; a daemon that comes or goes between two pages may be in both, or in the first only.
 */
import { Context, Effect, Layer } from "effect"
import { type DaemonFilter, type DaemonOrder, isFound, orderKey } from "../../src/domain/daemon/daemon-filter.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { pageOf } from "../../src/domain/page-cursor.ts"
import type { Overloaded, StoreFailed } from "../../src/errors.ts"
import { Daemons } from "../../src/store/daemons/daemons.ts"
import { FoundDaemons, type FoundOffline, type FoundPlace } from "../../src/store/daemons/found-daemons.ts"
import { offlineOf } from "../presence/known-snapshot.ts"
import { SnapshotWriter } from "../presence/snapshot-writer.ts"
import { Directory } from "./directory.ts"

/** Where a page begins. */
export interface FindCursor extends FoundPlace {
  readonly part: "online" | "others"
}

/** A search of one account. */
export interface FindAsked {
  readonly accountId: string
  readonly filter: DaemonFilter
  /** Whether those that are not connected are included. */
  readonly offline: boolean
  readonly order: DaemonOrder
  readonly limit: number
  readonly after: FindCursor | undefined
}

/** A page of what was found. `online` of the `total` are connected. */
export interface Found {
  readonly snapshots: ReadonlyArray<Snapshot>
  readonly total: number
  readonly online: number
  readonly next: FindCursor | undefined
}

interface Keyed extends FoundPlace {
  readonly snapshot: Snapshot
}

const inOrder = (one: FoundPlace, other: FoundPlace): number =>
  one.key < other.key ? -1 : one.key > other.key ? 1 : one.id < other.id ? -1 : 1

/** Those that are connected and are meant, in order. */
const connected = (there: ReadonlyArray<Snapshot>, { filter, order }: FindAsked): ReadonlyArray<Keyed> =>
  there
    .filter((snapshot) => isFound(filter, snapshot))
    .map((snapshot) => ({ key: orderKey(order, snapshot), id: snapshot.daemonId, snapshot }))
    .sort(inOrder)

const nowhere: FoundOffline = { places: [], total: 0 }

interface Sources {
  readonly directory: Pick<Directory["Service"], "online">
  readonly snapshots: Pick<SnapshotWriter["Service"], "unwritten">
  readonly daemons: Pick<Daemons["Service"], "snapshotsById">
  readonly found: FoundDaemons["Service"]
}

const finding =
  ({ directory, snapshots, daemons, found }: Sources) =>
  (asked: FindAsked): Effect.Effect<Found, Overloaded | StoreFailed> =>
    Effect.gen(function* () {
      const { accountId, filter, order, limit, after } = asked
      const there = yield* directory.online(accountId)
      const meant = connected(there, asked)
      const rest =
        after === undefined ? meant : meant.filter((one) => after.part === "online" && inOrder(after, one) < 0)
      const { rows, last } = pageOf(rest, limit)
      const room = limit - rows.length
      const place = after?.part === "others" ? after : undefined
      const withOthers = asked.offline && (filter.status === undefined || filter.status === "offline")
      const page = { order, after: place, limit: room + 1 }
      const others = withOthers ? yield* found.offline(accountId, filter, page) : nowhere
      const counts = { total: meant.length + others.total, online: meant.length }
      const shown = rows.map(({ snapshot }) => snapshot)
      if (last !== undefined)
        return { ...counts, snapshots: shown, next: { part: "online", key: last.key, id: last.id } }
      // one may have come meanwhile
      const isThere = new Set(there.map(({ daemonId }) => daemonId))
      const ids = others.places.slice(0, room).flatMap(({ id }) => (isThere.has(id) ? [] : [id]))
      const stored = ids.length === 0 ? [] : yield* daemons.snapshotsById(accountId, ids)
      const byId = new Map(stored.map((one) => [one.daemonId, offlineOf(snapshots, one)]))
      const { key, id } = others.places[room - 1] ?? place ?? { key: "", id: "" }
      return {
        ...counts,
        snapshots: [...shown, ...ids.flatMap((one) => byId.get(one) ?? [])],
        next: others.places.length > room ? { part: "others", key, id } : undefined
      }
    })

export class DaemonFinding extends Context.Service<
  DaemonFinding,
  { readonly find: (asked: FindAsked) => Effect.Effect<Found, Overloaded | StoreFailed> }
>()("hub/DaemonFinding") {
  static readonly layer = Layer.effect(DaemonFinding)(
    Effect.gen(function* () {
      const [directory, snapshots] = [yield* Directory, yield* SnapshotWriter]
      const [daemons, found] = [yield* Daemons, yield* FoundDaemons]
      return DaemonFinding.of({ find: finding({ directory, snapshots, daemons, found }) })
    })
  )
}
