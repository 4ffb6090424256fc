/**
 * Which daemon is online, on which node and since when. Owns the rows of `daemon_presence`: each statement changes rows
 * and inserts the deliveries of those that came or went, so that both are one transaction. Rows are locked in the order
 * of their ids. presence-statements.ts has the statements.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { ToldStatus } from "../../domain/daemon/agent-status.ts"
import type { Snapshot } from "../../domain/daemon/snapshot.ts"
import type { OwnerTags } from "../../domain/daemon/tags.ts"
import { StoreFailed } from "../../errors.ts"
import { nodeLeaseMillis } from "../../limits/nodes.ts"
import * as query from "../sql/query.ts"
import type { NewDelivery } from "../webhooks/deliveries.ts"
import { deliveryColumns } from "../webhooks/inserted-deliveries.ts"
import {
  claimText,
  endedText,
  heldByText,
  heldSnapshotsText,
  onlineOfText,
  placesText,
  standingsText,
  takeOverText
} from "./presence-statements.ts"
import { type SnapshotRow, snapshotOf } from "./snapshots.ts"

/** A connection that is to hold its daemon. */
export interface ClaimRequest {
  readonly daemonId: string
  /** The number of a connection that has one and states it again; undefined: a new connection, which gets the next. */
  readonly epoch: number | undefined
  /** The token of a new connection, which must be valid yet. Undefined: that is not asked. */
  readonly tokenHash: string | undefined
  /** Whether a time online may begin with it; else it only continues one that this node still has. */
  readonly begins: boolean
  /** The beginning of that time online, epoch milliseconds. */
  readonly at: number
  /** The deliveries of `daemon:connect`. */
  readonly deliveries: ReadonlyArray<NewDelivery>
}

/** What a claim found. */
export interface Claimed {
  readonly daemonId: string
  readonly epoch: number
  readonly since: number
  /** A time online began. */
  readonly began: boolean
  /** The node that held it before, where that is another one. */
  readonly from: string | undefined
  /** Its stored snapshot, where another node held it before. */
  readonly stored: Snapshot | undefined
  /** What its owner gave it; undefined: never any. */
  readonly ownerTags?: OwnerTags | undefined
  /** What subscribers were last told of the daemon's agents; undefined when it has never reported. */
  readonly told: ToldStatus | undefined
}

export interface ClaimAnswer {
  readonly claimed: ReadonlyMap<string, Claimed>
  readonly deliveryIds: ReadonlySet<string>
  /**
   * Daemons whose time online would have begun before the last one ended, with that end (epoch milliseconds): nothing
   * was claimed for them.
   */
  readonly early: ReadonlyMap<string, number>
}

/** A connection whose time online is over. */
export interface ReleaseRequest {
  readonly daemonId: string
  readonly epoch: number
  /** The end of that time online, epoch milliseconds. */
  readonly at: number
  readonly reason: string
  /** The close code of its last connection, where one is known. */
  readonly code: number | undefined
  /** The deliveries of `daemon:disconnect`. */
  readonly deliveries: ReadonlyArray<NewDelivery>
}

/** Where a daemon is. */
export interface DaemonLocation {
  readonly daemonId: string
  readonly accountId: string
  /** Null: it is offline. */
  readonly node: string | null
}

/** A daemon that a node holds. */
export interface HeldDaemon {
  readonly daemonId: string
  readonly epoch: number
}

/** What a node must learn of a daemon after it missed messages. */
export interface Standing {
  readonly daemonId: string
  /** The number of its newest connection, on any node. */
  readonly epoch: number
  /** The node that holds it. Null: it is offline. */
  readonly node: string | null
  readonly revoked: boolean
  readonly accountDisabled: boolean
  /** Null: its owner never gave it any. */
  readonly ownerTags?: OwnerTags | null
}

/** The store of presence. */
export class PresenceStore extends Context.Service<
  PresenceStore,
  {
    /**
     * Claims daemons for connections of a node, one per daemon. Without an answer: no such daemon, or its token has
     * ended, or the connection is not the newest, or its time online has ended. Fails when the node has no row: it may
     * count as dead.
     */
    readonly claim: (
      node: string,
      requests: ReadonlyArray<ClaimRequest>,
      maxAttempts: number
    ) => Effect.Effect<ClaimAnswer, StoreFailed>
    /** Ends times online, of those whose newest connection is this one on this node. Says which. */
    readonly release: (
      node: string,
      requests: ReadonlyArray<ReleaseRequest>,
      maxAttempts: number
    ) => Effect.Effect<{ ended: ReadonlySet<string>; deliveryIds: ReadonlySet<string> }, StoreFailed>
    /**
     * Takes over some daemons of a dead node, or of any node that has no right to be there (`alone`). Empty: nothing is
     * left, or another node is at it.
     */
    readonly takeOver: (
      node: string,
      dead: string,
      limit: number,
      alone: boolean
    ) => Effect.Effect<ReadonlyArray<Snapshot>, StoreFailed>
    /** What a node holds, at which connections, by id: so many after one. */
    readonly heldBy: (
      node: string,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<HeldDaemon>, StoreFailed>
    /** The stored snapshots of those of these that a node holds. */
    readonly heldSnapshots: (
      node: string,
      daemonIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Snapshot>, StoreFailed>
    /** Where these are; unknown ones are missing. */
    readonly places: (daemonIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<DaemonLocation>, StoreFailed>
    /** Where the online daemons of these accounts are. */
    readonly onlineOf: (accountIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<DaemonLocation>, StoreFailed>
    /** How these stand, in any order; unknown ones are missing. */
    readonly standings: (daemonIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Standing>, StoreFailed>
  }
>()("hub/PresenceStore") {
  static readonly layer = Layer.effect(PresenceStore)(Effect.suspend(() => make))
}

/** A row of a claim's answer: a daemon, or a delivery that was inserted. */
interface ClaimRow extends SnapshotRow {
  readonly deliveryId: string | null
  readonly lastEndedAt: number | null
  readonly since: number
  readonly before: string | null
  readonly began: boolean
  readonly isElsewhere: boolean
  readonly toldAt: number | null
  readonly states: string | null
}

const column = <A, B>(rows: ReadonlyArray<A>, of: (row: A) => B): ReadonlyArray<B> => rows.map(of)

const claimedOf = (row: ClaimRow): Claimed => {
  const { deliveryId: _, lastEndedAt: __, since, before, began, isElsewhere, toldAt, states, ...snapshot } = row
  const { daemonId, epoch, ownerTags } = snapshot
  return {
    daemonId,
    epoch,
    since,
    began,
    from: isElsewhere ? before! : undefined,
    stored: isElsewhere ? snapshotOf(snapshot) : undefined,
    ownerTags: ownerTags ?? undefined,
    told: states === null ? undefined : { at: toldAt ?? undefined, states }
  }
}

const claims = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (node: string, requests: ReadonlyArray<ClaimRequest>, maxAttempts: number) {
    const claimed = new Map<string, Claimed>()
    const deliveryIds = new Set<string>()
    const early = new Map<string, number>()
    const once = Effect.fnUntraced(function* (asked: ReadonlyArray<ClaimRequest>) {
      const rows = yield* sql.unsafe<ClaimRow>(claimText, [
        column(asked, ({ daemonId }) => daemonId),
        column(asked, ({ epoch }) => epoch ?? null),
        column(asked, ({ at }) => at),
        column(asked, ({ begins }) => begins),
        column(asked, ({ tokenHash }) => tokenHash ?? null),
        node,
        maxAttempts,
        ...deliveryColumns(asked, ({ daemonId }) => daemonId)
      ])
      for (const row of rows) {
        if (row.deliveryId !== null) deliveryIds.add(row.deliveryId)
        else if (row.lastEndedAt !== null) early.set(row.daemonId, row.lastEndedAt)
        else claimed.set(row.daemonId, claimedOf(row))
      }
    })
    yield* once(requests)
    const isMissing = ({ daemonId, epoch, begins }: ClaimRequest): boolean =>
      (epoch === undefined || begins) && !claimed.has(daemonId) && !early.has(daemonId)
    const missing = requests.filter(isMissing)
    if (missing.length === 0) return { claimed, deliveryIds, early }
    const known = yield* sql`select from nodes where node = ${node}`
    if (known.length === 0) {
      const cause = new Error("this node is not registered: it is about to register again")
      return yield* new StoreFailed({ operation: "claim daemons", cause })
    }
    // a row that another node made or ended meanwhile
    yield* once(missing)
    return { claimed, deliveryIds, early }
  })

const releases = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (node: string, requests: ReadonlyArray<ReleaseRequest>, maxAttempts: number) {
    const rows = yield* sql.unsafe<{ daemonId: string | null; deliveryId: string | null }>(endedText, [
      column(requests, ({ daemonId }) => daemonId),
      column(requests, ({ epoch }) => epoch),
      column(requests, ({ at }) => at),
      column(requests, ({ reason }) => reason),
      column(requests, ({ code }) => code ?? null),
      node,
      maxAttempts,
      ...deliveryColumns(requests, ({ daemonId }) => daemonId)
    ])
    return {
      ended: new Set(rows.flatMap(({ daemonId }) => daemonId ?? [])),
      deliveryIds: new Set(rows.flatMap(({ deliveryId }) => deliveryId ?? []))
    }
  })

/** A taker holds the dead node's row, so that it cannot come back meanwhile, and its own, so that none takes it. */
const takingOver = (sql: SqlClient.SqlClient) => (node: string, dead: string, limit: number, alone: boolean) =>
  sql.withTransaction(
    Effect.gen(function* () {
      const own = yield* sql`select node from nodes where node = ${node} for key share`
      const lease = alone ? 0 : nodeLeaseMillis
      const found = yield* sql.unsafe(
        `select node from nodes where node = $1
          and seen_at <= ${query.databaseNow} - $2::bigint for update skip locked`,
        [dead, lease]
      )
      if (own.length === 0 || found.length === 0) return []
      const rows = yield* sql.unsafe<SnapshotRow>(takeOverText, [dead, node, limit])
      if (rows.length === 0) {
        yield* sql`delete from nodes where node = ${dead}
          and not exists (select from daemon_presence where node = ${dead})`
      }
      return rows.map(snapshotOf)
    })
  )

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [claim, release, takeOver] = [claims(sql), releases(sql), takingOver(sql)]
  return PresenceStore.of({
    claim: (node, requests, maxAttempts) => query.attempt("claim daemons", claim(node, requests, maxAttempts)),
    release: (node, requests, maxAttempts) => query.attempt("release daemons", release(node, requests, maxAttempts)),
    takeOver: (node, dead, limit, alone) => query.attempt("take over daemons", takeOver(node, dead, limit, alone)),
    heldBy: (node, after, limit) =>
      query.many("read which daemons a node holds", sql.unsafe<HeldDaemon>(heldByText, [node, after, limit])),
    heldSnapshots: (node, daemonIds) =>
      query.many(
        "read daemons that a node holds",
        sql.unsafe<SnapshotRow>(heldSnapshotsText, [node, daemonIds]),
        snapshotOf
      ),
    places: (daemonIds) => query.many("look up where daemons are", sql.unsafe<DaemonLocation>(placesText, [daemonIds])),
    onlineOf: (accountIds) =>
      query.many("look up which daemons are online", sql.unsafe<DaemonLocation>(onlineOfText, [accountIds])),
    standings: (daemonIds) => query.many("read how daemons stand", sql.unsafe<Standing>(standingsText, [daemonIds]))
  })
})
