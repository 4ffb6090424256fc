/**
 * The machines that are online on this node, those in grace included. Owns one entry each: its newest picture, its
 * presence and its daemon actor; says to the rest of the hub what presence.ts decides. Knows no socket and no caller.
 */
import { Context, Effect, Layer } from "effect"
import { Config } from "../../src/config.ts"
import type { Picture } from "../../src/domain/daemon/snapshot.ts"
import { type CloseRule, close, disabledClose } from "../../src/protocol/close.ts"
import { watch } from "../../src/runtime/metrics.ts"
import { type Timer, Wheel } from "../../src/runtime/timers.ts"
import { Others, type Taken } from "../cluster/cluster.ts"
import type { Daemon, Departure } from "../daemon/state.ts"
import { MachineEvents } from "../events/daemon-events.ts"
import { Rows } from "./account-index.ts"
import { away, type Order, type Presence, type PresenceAction, type PresenceEvent, step } from "./presence.ts"
import { Pictures } from "./snapshot-writer.ts"

/** One machine that is online. */
export interface Entry {
  readonly picture: Picture
  /** Its connection; undefined while it is in grace. */
  readonly daemon: Daemon | undefined
  /** Sent no command for now: its connection is about to end, because this node drains. */
  readonly held: boolean
}

/** Whether a command to it waits until it is back, here or on another node. */
export const isMoving = ({ held, picture }: Entry): boolean => held || picture.moving === true

/** The roster. */
export class Roster extends Context.Service<
  Roster,
  {
    /** A connection was accepted. An older one is closed with 4409. `word`: what the other nodes know of it. */
    readonly joined: (picture: Picture, daemon: Daemon, word?: Taken["word"]) => void
    /** A connection ended, last heard of then. Void when a newer one has come since. */
    readonly left: (daemonId: string, epoch: number, how: Departure, heardAt: number) => void
    /** From now on it is sent no command, or again. Void for a connection that is not there any more. */
    readonly hold: (daemonId: string, epoch: number, held: boolean) => void
    /** The machines that have a connection here. */
    readonly live: () => ReadonlyArray<Entry>
    /** A report came. Void from an older connection. */
    readonly reported: (picture: Picture, changed: boolean) => void
    /** Sends it away. Says whether it had a live connection. */
    readonly ordered: (daemonId: string, reason: Order) => boolean
    /** A machine, when it is online. */
    readonly find: (daemonId: string) => Entry | undefined
    /** The machines of an account that are online, by hostname, then id: the same array until one of them changes. */
    readonly of: (accountId: string) => ReadonlyArray<Picture>
    /** Machines online. */
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
  picture: Picture
  presence: Presence
  daemon: Daemon | undefined
  held: boolean
  /** Nobody can say yet whether its time online began before, and was told. */
  unsettled: boolean
  grace: Timer | undefined
}

const make = Effect.gen(function* () {
  const { disconnectGraceMillis } = yield* Config
  const wheel = yield* Wheel
  const events = yield* MachineEvents
  const pictures = yield* Pictures
  const others = yield* Others
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const rows = new Rows<Row>()

  const add = (picture: Picture): Row =>
    rows.add({ picture, presence: away, daemon: undefined, held: false, unsettled: false, grace: undefined })

  /** Recorded as online is who was told to be: the only thing by which a hub whose Redis lost its memory knows that. */
  const record = (row: Row): void => {
    if (!row.unsettled) pictures.changed(row.picture)
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
    const { daemonId } = row.picture
    if (rows.get(daemonId) === row) pictures.changed(row.picture)
    else if (first && !isKnown(daemonId)) pictures.changed({ ...row.picture, online: true })
    if (first) events.connected(row.picture)
  }

  const perform = (row: Row, action: PresenceAction, older: Daemon | undefined, word: Taken["word"]): void => {
    switch (action.do) {
      case "announceConnect":
        if (word === "first") events.connected(row.picture)
        if (word !== "unsettled") return
        row.unsettled = true
        others.settle(row.picture, (first) => settled(row, first))
        return
      case "announceDisconnect":
        others.release(row.picture, (ours) => {
          // recorded when it is told: a node that ends before leaves it to the others
          if (ours && !isKnown(row.picture.daemonId)) pictures.changed(row.picture)
          if (ours && action.reason !== "disabled") events.disconnected(row.picture, action.reason, action.connectedMs)
          else events.moved(row.picture.daemonId)
        })
        return
      case "replace":
        sendAway(older, close.replaced)
        return
      case "sendAway":
        sendAway(older, closeOf(action.reason, row.picture.daemonId))
        return
      case "startGrace":
        row.grace = wheel.after(disconnectGraceMillis, () => advance(row, { event: "graceEnded", now: wheel.now() }))
        return
      case "stopGrace":
        row.grace?.clear()
        row.grace = undefined
        return
    }
  }

  /** A step of presence: the row is true before anyone is told. `older` is the actor the step may send away. */
  const advance = (row: Row, event: PresenceEvent, older = row.daemon, word: Taken["word"] = "first"): void => {
    const { presence, actions } = step(row.presence, event)
    const before = row.presence
    row.presence = presence
    if (presence.at !== "here") row.daemon = undefined
    row.held = false
    if (presence.at === "away" && before.at !== "away") {
      const revoked = event.event === "ordered" && event.reason === "revoked"
      const { moving: _, ...picture } = row.picture
      rows.show(row, { ...picture, online: false, revoked })
      rows.remove(row)
    }
    for (const action of actions) perform(row, action, older, word)
  }

  const joined = (picture: Picture, daemon: Daemon, word: Taken["word"] = "first"): void => {
    const row = rows.get(picture.daemonId) ?? add(picture)
    const older = row.daemon
    rows.show(row, picture)
    row.daemon = daemon
    others.pictured([picture])
    // a time online that began on another node goes on
    const now = word === "moved" ? (picture.connectedAt ?? wheel.now()) : wheel.now()
    advance(row, { event: "joined", epoch: picture.epoch, now }, older, word)
    record(row)
  }

  /** It is another node's now: gone from here without a word. */
  const moved = (daemonId: string, epoch: number): void => {
    const row = rows.get(daemonId)
    if (row === undefined || row.picture.epoch > epoch) return
    row.grace?.clear()
    row.presence = away
    rows.remove(row)
    events.moved(daemonId)
    sendAway(row.daemon, close.replaced)
  }

  const adopt = (picture: Picture): void => {
    const row = rows.get(picture.daemonId)
    if (row !== undefined && row.picture.epoch >= picture.epoch) return
    if (row !== undefined) moved(picture.daemonId, picture.epoch)
    const since = picture.connectedAt ?? wheel.now()
    advance(add({ ...picture, online: true }), { event: "recovered", epoch: picture.epoch, since })
    others.pictured([picture])
  }

  const begunAnew = (daemonId: string, epoch: number): void => {
    const row = rows.get(daemonId)
    if (row === undefined || row.picture.epoch !== epoch) return
    row.unsettled = false
    if (row.presence.at === "here") {
      const now = wheel.now()
      row.presence = { ...row.presence, since: now }
      rows.show(row, { ...row.picture, connectedAt: now })
      pictures.changed(row.picture)
      events.connected(row.picture)
    } else {
      // lost meanwhile: that it is gone has been told
      row.grace?.clear()
      row.presence = away
      rows.remove(row)
      others.release({ ...row.picture, online: false }, () => events.moved(daemonId))
    }
  }

  const doubted = (daemonId: string, epoch: number, is: boolean): void => {
    const row = rows.get(daemonId)
    if (row?.picture.epoch !== epoch || row.unsettled === is) return
    row.unsettled = is
    record(row)
  }

  const superseded = (daemonId: string, epoch: number): void => {
    const row = rows.get(daemonId)
    if (row?.picture.epoch === epoch) row.daemon?.tell({ tell: "order", rule: close.replaced, departure: "lost" })
  }

  const left = (daemonId: string, epoch: number, how: Departure, heardAt: number): void => {
    const row = rows.get(daemonId)
    if (row?.presence.at !== "here" || row.presence.epoch !== epoch) return
    const gone = { ...row.picture, lastSeenAt: heardAt }
    rows.show(row, how === "moving" ? { ...gone, moving: true } : gone)
    advance(row, { event: "left", epoch, how: how === "moving" ? "lost" : how, now: wheel.now() })
    if (how !== "moving") return
    // a command may come to any node, and to the next life of this one
    others.pictured([row.picture])
    record(row)
  }

  const hold = (daemonId: string, epoch: number, held: boolean): void => {
    const row = rows.get(daemonId)
    if (row?.presence.at === "here" && row.presence.epoch === epoch) row.held = held
  }

  const reported = (picture: Picture, changed: boolean): void => {
    const row = rows.get(picture.daemonId)
    if (row?.presence.at !== "here" || row.presence.epoch !== picture.epoch) return
    rows.show(row, picture)
    if (changed) record(row)
  }

  const ordered = (daemonId: string, reason: Order): boolean => {
    const row = rows.get(daemonId)
    if (row === undefined) return false
    const live = row.daemon !== undefined
    advance(row, { event: "ordered", reason, now: wheel.now() })
    return live
  }

  for (const picture of yield* others.recovered) {
    const since = picture.connectedAt ?? wheel.now()
    advance(add(picture), { event: "recovered", epoch: picture.epoch, since })
  }
  others.attachRoster({
    moved,
    adopt,
    begunAnew,
    doubted,
    recorded: () => run(pictures.flush),
    superseded,
    ordered,
    rows: () => rows.all().map(({ picture }) => picture),
    epochOf: (daemonId) => rows.get(daemonId)?.picture.epoch,
    pictureOf: (daemonId) => rows.get(daemonId)?.picture
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
