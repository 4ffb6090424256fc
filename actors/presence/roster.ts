/**
 * The online daemons of this node, including those in their grace period. Owns one entry per daemon: newest snapshot,
 * presence and daemon actor. Applies the decisions of presence.ts. Knows no socket and no caller.
 */
import { Context, Effect, Layer } from "effect"
import { Config } from "../../src/config.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { type CloseRule, close, disabledClose } from "../../src/protocol/close.ts"
import { watch } from "../../src/runtime/metrics.ts"
import { type Timer, Timers } from "../../src/runtime/timers.ts"
import { type Claim, Cluster } from "../cluster/cluster.ts"
import type { Daemon, Departure } from "../daemon/state.ts"
import { DaemonEvents } from "../events/daemon-events.ts"
import { Rows } from "./account-index.ts"
import { away, type Order, type Presence, type PresenceAction, type PresenceEvent, step } from "./presence.ts"
import { SnapshotWriter } from "./snapshot-writer.ts"

/** An online daemon. */
export interface Entry {
  readonly snapshot: Snapshot
  /** The actor of its connection. Undefined during the grace period. */
  readonly daemon: Daemon | undefined
  /** Receives no commands, because this node drains and the connection ends soon. */
  readonly held: boolean
}

/** Whether commands wait until the daemon has reconnected to any node. */
export const isMoving = ({ held, snapshot }: Entry): boolean => held || snapshot.moving === true

/** The online daemons. */
export class Roster extends Context.Service<
  Roster,
  {
    /** Adds an accepted connection and closes an older one with 4409. `word`: the result of the cluster claim. */
    readonly joined: (snapshot: Snapshot, daemon: Daemon, word?: Claim["word"]) => void
    /** A connection ended. No effect when a newer one exists. */
    readonly left: (daemonId: string, epoch: number, how: Departure, heardAt: number) => void
    /** Stops or resumes the commands to a connection. No effect on an ended connection. */
    readonly hold: (daemonId: string, epoch: number, held: boolean) => void
    /** The daemons with a live connection on this node. */
    readonly live: () => ReadonlyArray<Entry>
    /** Updates the snapshot after a report. No effect from an older connection. */
    readonly reported: (snapshot: Snapshot, changed: boolean) => void
    /** Closes the connection by an order. Returns whether it was live. */
    readonly ordered: (daemonId: string, reason: Order) => boolean
    /** The entry of an online daemon. */
    readonly find: (daemonId: string) => Entry | undefined
    /** The online daemons of an account by hostname, then id. The same array until one of them changes. */
    readonly of: (accountId: string) => ReadonlyArray<Snapshot>
    /** Number of online daemons. */
    readonly size: () => number
  }
>()("hub/Roster") {
  static readonly layer = Layer.effect(
    Roster,
    Effect.suspend(() => make)
  )
}

const closeOf = (reason: Order, daemonId: string): CloseRule => {
  if (reason === "disabled") return disabledClose(daemonId)
  return reason === "revoked" ? close.tokenRevoked : close.disconnected
}

interface Row {
  snapshot: Snapshot
  presence: Presence
  daemon: Daemon | undefined
  held: boolean
  /** Nobody can say yet whether its time online began before, and was told. */
  unsettled: boolean
  grace: Timer | undefined
}

const make = Effect.gen(function* () {
  const { disconnectGraceMillis } = yield* Config
  const timers = yield* Timers
  const events = yield* DaemonEvents
  const snapshots = yield* SnapshotWriter
  const cluster = yield* Cluster
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const rows = new Rows<Row>()

  const add = (snapshot: Snapshot): Row =>
    rows.add({ snapshot, presence: away, daemon: undefined, held: false, unsettled: false, grace: undefined })

  /** Recorded as online is who was told to be: the only thing by which a hub whose Redis lost its memory knows that. */
  const record = (row: Row): void => {
    if (!row.unsettled) snapshots.changed(row.snapshot)
  }

  /** The actor of the epoch, unless another has taken its place. */
  const sendAway = (daemon: Daemon | undefined, rule: CloseRule): void => {
    daemon?.tell({ tell: "order", rule, departure: "ordered" })
  }

  /** Here, and told to be online. */
  const isKnown = (daemonId: string): boolean => rows.get(daemonId)?.unsettled === false

  /** What was not known of a row, gone by now or not. */
  const settled = (row: Row, first: boolean): void => {
    row.unsettled = false
    const { daemonId } = row.snapshot
    if (rows.get(daemonId) === row) snapshots.changed(row.snapshot)
    else if (first && !isKnown(daemonId)) snapshots.changed({ ...row.snapshot, online: true })
    if (first) events.connected(row.snapshot)
  }

  const perform = (row: Row, action: PresenceAction, older: Daemon | undefined, word: Claim["word"]): void => {
    switch (action.do) {
      case "announceConnect":
        if (word === "first") events.connected(row.snapshot)
        if (word !== "unsettled") return
        row.unsettled = true
        cluster.resolveClaim(row.snapshot, (first) => settled(row, first))
        return
      case "announceDisconnect":
        cluster.release(row.snapshot, (ours) => {
          // recorded when it is told: a node that ends before leaves it to the others
          if (ours && !isKnown(row.snapshot.daemonId)) snapshots.changed(row.snapshot)
          if (ours && action.reason !== "disabled") events.disconnected(row.snapshot, action.reason, action.connectedMs)
          else events.moved(row.snapshot.daemonId)
        })
        return
      case "replace":
        sendAway(older, close.replaced)
        return
      case "sendAway":
        sendAway(older, closeOf(action.reason, row.snapshot.daemonId))
        return
      case "startGrace":
        row.grace = timers.after(disconnectGraceMillis, () => advance(row, { event: "graceEnded", now: timers.now() }))
        return
      case "stopGrace":
        row.grace?.clear()
        row.grace = undefined
        return
    }
  }

  /** A step of presence: the row is true before anyone is told. `older` is the actor the step may send away. */
  const advance = (row: Row, event: PresenceEvent, older = row.daemon, word: Claim["word"] = "first"): void => {
    const { presence, actions } = step(row.presence, event)
    const before = row.presence
    row.presence = presence
    if (presence.at !== "here") row.daemon = undefined
    row.held = false
    if (presence.at === "away" && before.at !== "away") {
      const revoked = event.event === "ordered" && event.reason === "revoked"
      const { moving: _, ...snapshot } = row.snapshot
      rows.show(row, { ...snapshot, online: false, revoked })
      rows.remove(row)
    }
    for (const action of actions) perform(row, action, older, word)
  }

  const joined = (snapshot: Snapshot, daemon: Daemon, word: Claim["word"] = "first"): void => {
    const row = rows.get(snapshot.daemonId) ?? add(snapshot)
    const older = row.daemon
    rows.show(row, snapshot)
    row.daemon = daemon
    cluster.publishSnapshots([snapshot])
    // a time online that began on another node goes on
    const now = word === "moved" ? (snapshot.connectedAt ?? timers.now()) : timers.now()
    advance(row, { event: "joined", epoch: snapshot.epoch, now }, older, word)
    record(row)
  }

  /** It is another node's now: gone from here without a word. */
  const moved = (daemonId: string, epoch: number): void => {
    const row = rows.get(daemonId)
    if (row === undefined || row.snapshot.epoch > epoch) return
    row.grace?.clear()
    row.presence = away
    rows.remove(row)
    events.moved(daemonId)
    sendAway(row.daemon, close.replaced)
  }

  const adopt = (snapshot: Snapshot): void => {
    const row = rows.get(snapshot.daemonId)
    if (row !== undefined && row.snapshot.epoch >= snapshot.epoch) return
    if (row !== undefined) moved(snapshot.daemonId, snapshot.epoch)
    const since = snapshot.connectedAt ?? timers.now()
    advance(add({ ...snapshot, online: true }), { event: "recovered", epoch: snapshot.epoch, since })
    cluster.publishSnapshots([snapshot])
  }

  const begunAnew = (daemonId: string, epoch: number): void => {
    const row = rows.get(daemonId)
    if (row === undefined || row.snapshot.epoch !== epoch) return
    row.unsettled = false
    if (row.presence.at === "here") {
      const now = timers.now()
      row.presence = { ...row.presence, since: now }
      rows.show(row, { ...row.snapshot, connectedAt: now })
      snapshots.changed(row.snapshot)
      events.connected(row.snapshot)
    } else {
      // lost meanwhile: that it is gone has been told
      row.grace?.clear()
      row.presence = away
      rows.remove(row)
      cluster.release({ ...row.snapshot, online: false }, () => events.moved(daemonId))
    }
  }

  const doubted = (daemonId: string, epoch: number, is: boolean): void => {
    const row = rows.get(daemonId)
    if (row?.snapshot.epoch !== epoch || row.unsettled === is) return
    row.unsettled = is
    record(row)
  }

  const superseded = (daemonId: string, epoch: number): void => {
    const row = rows.get(daemonId)
    if (row?.snapshot.epoch === epoch) row.daemon?.tell({ tell: "order", rule: close.replaced, departure: "lost" })
  }

  const left = (daemonId: string, epoch: number, how: Departure, heardAt: number): void => {
    const row = rows.get(daemonId)
    if (row?.presence.at !== "here" || row.presence.epoch !== epoch) return
    const gone = { ...row.snapshot, lastSeenAt: heardAt }
    rows.show(row, how === "moving" ? { ...gone, moving: true } : gone)
    advance(row, { event: "left", epoch, how: how === "moving" ? "lost" : how, now: timers.now() })
    if (how !== "moving") return
    // a command may come to any node, and to the next life of this one
    cluster.publishSnapshots([row.snapshot])
    record(row)
  }

  const hold = (daemonId: string, epoch: number, held: boolean): void => {
    const row = rows.get(daemonId)
    if (row?.presence.at === "here" && row.presence.epoch === epoch) row.held = held
  }

  const reported = (snapshot: Snapshot, changed: boolean): void => {
    const row = rows.get(snapshot.daemonId)
    if (row?.presence.at !== "here" || row.presence.epoch !== snapshot.epoch) return
    rows.show(row, snapshot)
    if (changed) record(row)
  }

  const ordered = (daemonId: string, reason: Order): boolean => {
    const row = rows.get(daemonId)
    if (row === undefined) return false
    const live = row.daemon !== undefined
    advance(row, { event: "ordered", reason, now: timers.now() })
    return live
  }

  for (const snapshot of yield* cluster.recovered) {
    const since = snapshot.connectedAt ?? timers.now()
    advance(add(snapshot), { event: "recovered", epoch: snapshot.epoch, since })
  }
  cluster.attachRoster({
    moved,
    adopt,
    begunAnew,
    doubted,
    recorded: () => run(snapshots.flush),
    superseded,
    ordered,
    rows: () => rows.all().map(({ snapshot }) => snapshot),
    epochOf: (daemonId) => rows.get(daemonId)?.snapshot.epoch,
    snapshotOf: (daemonId) => rows.get(daemonId)?.snapshot
  })

  const unwatch = watch("hub_daemons_online", () => rows.size)
  yield* Effect.addFinalizer(() => Effect.sync(unwatch))

  return Roster.of({
    joined,
    left,
    hold,
    live: () => rows.all().filter(({ daemon }) => daemon !== undefined),
    reported,
    ordered,
    find: (daemonId) => rows.get(daemonId),
    of: (accountId) => rows.of(accountId),
    size: () => rows.size
  })
})
