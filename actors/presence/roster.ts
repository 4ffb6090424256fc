/**
 * The online daemons of this node, including those in their grace period. Owns one entry per daemon: newest snapshot,
 * presence and daemon actor. Applies the decisions of presence.ts; what it holds is what the store says that this node
 * holds, and presence-writer.ts writes it. Knows no socket and no caller.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { Bus } from "../../src/bus/bus.ts"
import { Config } from "../../src/config.ts"
import { replacesAnother } from "../../src/domain/daemon/copied-identity.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { type OwnerTags, sameTags } from "../../src/domain/daemon/tags.ts"
import type { Overloaded, StoreFailed } from "../../src/errors.ts"
import { type CloseRule, close } from "../../src/protocol/close.ts"
import type { Auth } from "../../src/protocol/frames.ts"
import { watchInScope } from "../../src/runtime/metrics.ts"
import { Timers } from "../../src/runtime/timers.ts"
import type { TokenOwner } from "../../src/store/daemons/daemons.ts"
import type { Claimed } from "../../src/store/daemons/presence.ts"
import type { ConnectionEnd, Daemon } from "../daemon/state.ts"
import { DaemonEvents } from "../events/daemon-events.ts"
import { DaemonTags } from "../events/daemon-tags.ts"
import { AccountIndex, type SnapshotWatchers } from "./account-index.ts"
import { snapshotOnConnect } from "./known-snapshot.ts"
import { away, closeOf, type Order, type PresenceAction, type PresenceEvent, step } from "./presence.ts"
import { PresenceWriter } from "./presence-writer.ts"
import { addInScope, type RosterContext, type Row } from "./roster-context.ts"
import { SnapshotWriter } from "./snapshot-writer.ts"

export interface Entry {
  readonly snapshot: Snapshot
  /** The actor of its connection. Undefined during the grace period. */
  readonly daemon: Daemon | undefined
  /** Receives no commands: its connection is not accepted yet, or ends soon because this node drains. */
  readonly held: boolean
}

/** Whether commands wait until the daemon has reconnected to any node. */
export const isMoving = ({ held, snapshot }: Entry): boolean => held || snapshot.moving === true

export class Roster extends Context.Service<
  Roster,
  {
    /**
     * Claims a daemon for a connection that is about to be accepted. Once the claim is committed the daemon is here, in
     * its grace until `joined`; an older connection on this node closes with 4409. Undefined: the token of this hash
     * has ended.
     */
    readonly claim: (
      owner: TokenOwner,
      auth: Auth,
      tokenHash: string
    ) => Effect.Effect<Claimed | undefined, Overloaded | StoreFailed>
    /** Whether this connection may be accepted: its daemon is here by its claim, and no newer one has come. */
    readonly claimedBy: (daemonId: string, epoch: number) => Snapshot | undefined
    /** Adds an accepted connection whose claim is still the newest. */
    readonly joined: (snapshot: Snapshot, daemon: Daemon) => void
    /** Calls with the id of each daemon whose connection is accepted, until the scope closes. */
    readonly onJoined: (listener: (daemonId: string) => void) => Effect.Effect<void, never, Scope.Scope>
    /** A connection ended. No effect when a newer one exists. */
    readonly left: (daemonId: string, epoch: number, end: ConnectionEnd) => void
    /** Stops or resumes the commands to a connection. No effect on an ended connection. */
    readonly hold: (daemonId: string, epoch: number, held: boolean) => void
    /** The daemons with a live connection on this node. */
    readonly live: () => ReadonlyArray<Entry>
    /** All, those in their grace included. */
    readonly all: () => ReadonlyArray<Entry>
    /** Updates the snapshot after a report. No effect from an older connection. */
    readonly reported: (snapshot: Snapshot, changed: boolean) => void
    /** Closes the connection by an order. Returns whether it was live. */
    readonly ordered: (daemonId: string, reason: Order) => boolean
    /** A newer connection, or another node, holds the daemon: it is gone from here, and nothing is announced. */
    readonly moved: (daemonId: string, epoch: number) => void
    /** This node holds a daemon that has no connection here: it is in its grace from now on. */
    readonly adopt: (snapshot: Snapshot) => void
    /** States a connection again that others may have taken for dead. Its time online may have ended meanwhile. */
    readonly reclaim: (daemonId: string) => Effect.Effect<void, Overloaded | StoreFailed>
    /** The owner of a daemon, on any node or none, gave it these tags. */
    readonly tagged: (daemonId: string, tags: OwnerTags) => void
    /** They are told when a daemon has another snapshot here, and when it is gone from here. */
    readonly watchers: SnapshotWatchers
    /** The entry of an online daemon. */
    readonly find: (daemonId: string) => Entry | undefined
    /** The online daemons of an account by hostname, then id. The same array until one of them changes. */
    readonly of: (accountId: string) => ReadonlyArray<Snapshot>
    /** Number of online daemons. */
    readonly size: () => number
  }
>()("hub/Roster") {
  static readonly layer = Layer.effect(Roster)(Effect.suspend(() => make))
}

/** The actor of the epoch, unless another has taken its place. */
const sendAway = (daemon: Daemon | undefined, rule: CloseRule): void => {
  daemon?.tell({ type: "order", rule, departure: "ordered" })
}

const perform = (context: RosterContext, row: Row, action: PresenceAction, older: Daemon | undefined): void => {
  const { timers, writer, snapshots } = context
  switch (action.do) {
    case "release": {
      const reason = action.reason === "disabled" ? undefined : action.reason
      snapshots.changed(row.snapshot)
      writer.release({
        snapshot: row.snapshot,
        code: action.code,
        // clocks of nodes differ: it never ends before it began
        ended: { reason, connectedMs: action.connectedMs, at: Math.max(timers.now(), row.snapshot.connectedAt ?? 0) }
      })
      return
    }
    case "replace":
      return sendAway(older, close.replaced)
    case "sendAway":
      return sendAway(older, closeOf(action.reason, row.snapshot.daemonId))
    case "startGrace":
      row.grace = timers.after(context.graceMillis, () =>
        advance(context, row, { event: "graceEnded", now: timers.now() })
      )
      return
    case "stopGrace":
      row.grace?.clear()
      row.grace = undefined
      return
  }
}

/** A step of presence: the row is true before anyone is told. */
const advance = (context: RosterContext, row: Row, event: PresenceEvent): void => {
  const { rows } = context
  const { presence, actions } = step(row.presence, event)
  const [before, older] = [row.presence, row.daemon]
  row.presence = presence
  if (presence.at !== "here") row.daemon = undefined
  row.held = false
  if (presence.at === "away" && before.at !== "away") {
    const revoked = event.event === "ordered" && event.reason === "revoked"
    const { moving: _, ...snapshot } = row.snapshot
    rows.show(row, { ...snapshot, online: false, revoked })
    rows.remove(row)
  }
  for (const action of actions) perform(context, row, action, older)
}

/** The row of a daemon that this node holds at this connection, which is not accepted yet. */
const claimed = (context: RosterContext, snapshot: Snapshot, since: number): Row | undefined => {
  const { rows } = context
  const found = rows.get(snapshot.daemonId)
  if (found !== undefined && found.snapshot.epoch >= snapshot.epoch) return undefined
  const row = found ?? rows.add({ snapshot, presence: away, daemon: undefined, held: false, grace: undefined })
  rows.show(row, snapshot)
  advance(context, row, { event: "claimed", epoch: snapshot.epoch, since })
  return row
}

const adopt = (context: RosterContext, snapshot: Snapshot): void => {
  claimed(context, { ...snapshot, online: true }, snapshot.connectedAt ?? context.timers.now())
}

const moved = ({ rows, events }: RosterContext, daemonId: string, epoch: number): void => {
  const row = rows.get(daemonId)
  if (row === undefined || row.snapshot.epoch > epoch) return
  row.grace?.clear()
  row.presence = away
  rows.remove(row)
  events.moved(daemonId)
  sendAway(row.daemon, close.replaced)
}

const claim = (context: RosterContext, owner: TokenOwner, auth: Auth, tokenHash: string) =>
  Effect.gen(function* () {
    const { rows, events, timers, writer, bus } = context
    const { daemonId } = owner
    const at = timers.now()
    let isWanted = true // a claim is committed also where its connection has gone by then
    const beginning = { epoch: 0, since: at, now: at, ownerTags: owner.ownerTags }
    const arriving = snapshotOnConnect(auth, owner, beginning, undefined)
    const event = (began: number) => events.connecting(arriving, began)
    const committed = ({ epoch, since, began, stored, ownerTags }: Claimed, ended?: Snapshot): void => {
      // what this node holds is older than what another stored since
      const before = began ? undefined : (stored ?? rows.get(daemonId)?.snapshot ?? ended)
      const snapshot = snapshotOnConnect(auth, owner, { epoch, since, now: timers.now(), ownerTags }, before)
      const row = claimed(context, snapshot, since)
      if (row === undefined) return
      row.held = isWanted
      if (replacesAnother(auth, before)) events.copied(snapshot, before.hostname)
      if (before !== undefined && !sameTags(before.tags, row.snapshot.tags))
        bus.publish("daemon_retagged", { daemonId })
    }
    const claiming = writer.claim({ daemonId, epoch: undefined, tokenHash, begins: true, event, committed })
    return yield* Effect.onInterrupt(claiming, () =>
      Effect.sync(() => {
        isWanted = false
      })
    )
  })

/** A connection goes on in a new time online where the end of the old one was announced; one in its grace ends. */
const reclaim = (context: RosterContext, daemonId: string) =>
  Effect.gen(function* () {
    const { rows, events, writer, snapshots } = context
    const row = rows.get(daemonId)
    if (row === undefined) return
    const { epoch } = row.snapshot
    const begins = row.presence.at === "here"
    const event = (began: number) => events.connecting(row.snapshot, began)
    const committed = ({ since, began }: Claimed): void => {
      if (!began || row.presence.at === "away") return
      row.presence = { ...row.presence, since }
      rows.show(row, { ...row.snapshot, connectedAt: since })
      snapshots.changed(row.snapshot)
    }
    const found = yield* writer.claim({ daemonId, epoch, tokenHash: undefined, begins, event, committed })
    if (found === undefined) moved(context, daemonId, epoch)
  })

const left = (context: RosterContext, daemonId: string, epoch: number, { how, code, heardAt }: ConnectionEnd): void => {
  const { rows, timers, snapshots } = context
  const row = rows.get(daemonId)
  if (row?.presence.at !== "here" || row.presence.epoch !== epoch) return
  const gone = { ...row.snapshot, lastSeenAt: heardAt }
  rows.show(row, how === "moving" ? { ...gone, moving: true } : gone)
  advance(context, row, { event: "left", epoch, how: how === "moving" ? "lost" : how, code, now: timers.now() })
  // a command may come to any node, and to the next life of this one
  if (how === "moving") snapshots.changed(row.snapshot)
}

const make = Effect.gen(function* () {
  const { disconnectGraceMillis } = yield* Config
  const rows = new AccountIndex<Row>(yield* DaemonTags)
  const context: RosterContext = {
    graceMillis: disconnectGraceMillis,
    rows,
    timers: yield* Timers,
    events: yield* DaemonEvents,
    snapshots: yield* SnapshotWriter,
    writer: yield* PresenceWriter,
    bus: yield* Bus
  }
  const { timers, snapshots } = context

  const joiners = new Set<(daemonId: string) => void>()
  const claimedBy = (daemonId: string, epoch: number): Snapshot | undefined => {
    const row = rows.get(daemonId)
    return row?.presence.at === "grace" && row.presence.epoch === epoch ? row.snapshot : undefined
  }

  const joined = (snapshot: Snapshot, daemon: Daemon): void => {
    const row = rows.get(snapshot.daemonId)
    if (row?.snapshot.epoch !== snapshot.epoch) return
    rows.show(row, snapshot)
    advance(context, row, { event: "joined", epoch: snapshot.epoch })
    row.daemon = daemon
    snapshots.changed(row.snapshot)
    for (const listener of joiners) listener(snapshot.daemonId)
  }

  const hold = (daemonId: string, epoch: number, held: boolean): void => {
    const row = rows.get(daemonId)
    if (row?.presence.at === "here" && row.presence.epoch === epoch) row.held = held
  }

  const reported = (snapshot: Snapshot, changed: boolean): void => {
    const row = rows.get(snapshot.daemonId)
    if (row?.presence.at !== "here" || row.presence.epoch !== snapshot.epoch) return
    rows.show(row, snapshot)
    if (changed) snapshots.changed(row.snapshot)
  }

  const ordered = (daemonId: string, reason: Order): boolean => {
    const row = rows.get(daemonId)
    if (row === undefined) return false
    const live = row.daemon !== undefined
    advance(context, row, { event: "ordered", reason, now: timers.now() })
    return live
  }

  yield* watchInScope("hub_daemons_online", () => rows.size)
  yield* watchInScope("hub_daemons_in_grace", () => rows.all().filter(({ presence }) => presence.at === "grace").length)

  return Roster.of({
    claim: (owner, auth, tokenHash) => Effect.suspend(() => claim(context, owner, auth, tokenHash)),
    claimedBy,
    joined,
    onJoined: (listener) => addInScope(joiners, listener),
    left: (daemonId, epoch, end) => left(context, daemonId, epoch, end),
    hold,
    live: () => rows.all().filter(({ daemon }) => daemon !== undefined),
    all: () => rows.all(),
    reported,
    ordered,
    moved: (daemonId, epoch) => moved(context, daemonId, epoch),
    adopt: (snapshot) => adopt(context, snapshot),
    reclaim: (daemonId) => Effect.suspend(() => reclaim(context, daemonId)),
    tagged: (daemonId, tags) => rows.tagged(daemonId, tags),
    watchers: rows.watchers,
    find: (daemonId) => rows.get(daemonId),
    of: (accountId) => rows.of(accountId),
    size: () => rows.size
  })
})
