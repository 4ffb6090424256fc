/** A daemon in the roster when there is news of an older or a newer connection: what counts, and what is kept. */
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import type { Daemon } from "../../../actors/daemon/state.ts"
import { PresenceWriter } from "../../../actors/presence/presence-writer.ts"
import { Roster } from "../../../actors/presence/roster.ts"
import { SnapshotWriter } from "../../../actors/presence/snapshot-writer.ts"
import { hashCredential } from "../../../src/auth/api-key.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { tokenOwner } from "../../simulation/store/daemon-statements.ts"
import type { Tables } from "../../simulation/store/tables.ts"
import { authOf, connect, type Enrolled, settle } from "../../support/daemon-services.ts"
import { session, snapshot } from "../../support/snapshots.ts"
import { inWorld } from "../../support/with-daemon-services.ts"

const held = ({ daemonId, accountId }: Enrolled, epoch: number, hostname = "box") =>
  snapshot([], { daemonId, accountId, epoch, hostname, connectedAt: 0 })

/** As if another node had taken the daemon over and told the end of its time online. */
const endElsewhere = (tables: Tables, { daemonId }: Enrolled, lastEndedAt: number): void => {
  const epoch = tables.presence.get(daemonId)?.epoch ?? 1
  tables.presence.set(daemonId, { epoch, node: null, since: null, lastEndedAt })
}

describe("a daemon in the roster", () => {
  inWorld("is accepted by its newest claim only, and by that once", function* ({ enrol }) {
    const roster = yield* Roster
    const enrolled = enrol()
    const { daemonId } = enrolled
    const daemon = { tell: () => true } as unknown as Daemon
    roster.adopt(held(enrolled, 5))
    expect(roster.claimedBy(daemonId, 4)).toBeUndefined()
    expect(roster.claimedBy(daemonId, 5)).toMatchObject({ daemonId })
    roster.joined(held(enrolled, 4, "older"), daemon)
    expect(roster.find(daemonId)).toMatchObject({ snapshot: { hostname: "box" }, daemon: undefined })
    roster.joined(held(enrolled, 5), daemon)
    expect(roster.find(daemonId)?.daemon).toBe(daemon)
    expect(roster.claimedBy(daemonId, 5)).toBeUndefined()
  })

  inWorld("is not held, shown or ended by an older connection", function* ({ enrol }) {
    const roster = yield* Roster
    const enrolled = enrol()
    const { daemonId } = enrolled
    yield* connect(enrolled.token)
    const before = roster.find(daemonId)?.snapshot
    roster.hold(daemonId, 0, true)
    roster.reported(held(enrolled, 0, "older"), true)
    roster.left(daemonId, 0, { how: "clean", code: 1000, heardAt: 9 })
    expect(roster.find(daemonId)).toMatchObject({ held: false, daemon: expect.anything() })
    expect(roster.find(daemonId)?.snapshot).toBe(before)
  })

  inWorld("is ordered away, which says whether it had a live connection", function* ({ enrol }) {
    const roster = yield* Roster
    const [live, lost] = [enrol(), enrol()]
    yield* connect(live.token)
    const peer = yield* connect(lost.token)
    peer.link.closed(1006)
    expect(roster.ordered(live.daemonId, "disconnected")).toBe(true)
    expect(roster.ordered(live.daemonId, "disconnected")).toBe(false)
    expect(roster.ordered(lost.daemonId, "disconnected")).toBe(false)
  })

  inWorld(
    "moves to a newer connection elsewhere, not to an older one, and no end is told",
    function* ({ enrol, told, tables }) {
      const roster = yield* Roster
      const timers = yield* Timers
      const { token, daemonId } = enrol()
      const peer = yield* connect(token)
      const claimed = { ...tables.presence.get(daemonId) }
      roster.moved(daemonId, 0)
      expect(roster.find(daemonId)).toBeDefined()
      roster.moved(daemonId, 2)
      expect([roster.find(daemonId), peer.closes]).toEqual([undefined, [4409]])
      expect(told.log).toEqual(["connected box", `moved ${daemonId}`])
      const inGrace = enrol()
      const before = timers.size()
      roster.adopt(held(inGrace, 5))
      roster.moved(inGrace.daemonId, 6)
      expect(timers.size()).toBe(before)
      yield* TestClock.adjust(19_000)
      expect(told.log).toHaveLength(3)
      expect(tables.presence.get(daemonId)).toEqual(claimed)
    }
  )

  inWorld(
    "leaves with what was last known of it: seen when, revoked or not, and not on the move",
    function* ({ enrol }) {
      const roster = yield* Roster
      const writer = yield* SnapshotWriter
      const [clean, revoked, moving] = [enrol(), enrol(), enrol()]
      const peer = yield* connect(clean.token)
      yield* connect(revoked.token)
      yield* connect(moving.token)
      yield* TestClock.adjust(5_000)
      peer.link.heard()
      yield* TestClock.adjust(1_000)
      peer.link.closed(1000)
      expect(writer.unwritten(clean.daemonId)).toMatchObject({ online: false, revoked: false, lastSeenAt: 5_000 })
      roster.ordered(revoked.daemonId, "revoked")
      expect(writer.unwritten(revoked.daemonId)).toMatchObject({ online: false, revoked: true })
      roster.left(moving.daemonId, 1, { how: "moving", code: 1012, heardAt: 6_000 })
      expect(writer.unwritten(moving.daemonId)).toMatchObject({ online: true, moving: true })
      yield* writer.flush
      roster.ordered(moving.daemonId, "disconnected")
      expect(writer.unwritten(moving.daemonId)).toMatchObject({ online: false })
      expect(writer.unwritten(moving.daemonId)?.moving).toBeUndefined()
    }
  )

  inWorld("receives no commands between its claim and its acceptance", function* ({ enrol, tables }) {
    const roster = yield* Roster
    const enrolled = enrol()
    const { token, daemonId } = enrolled
    const hash = hashCredential(token)
    const claimed = yield* roster.claim(tokenOwner(tables, hash)!, authOf(token), hash)
    expect(claimed).toMatchObject({ epoch: 1, began: true })
    expect(roster.find(daemonId)).toMatchObject({ held: true, daemon: undefined })
    roster.joined(held(enrolled, 1), { tell: () => true } as unknown as Daemon)
    expect(roster.find(daemonId)).toMatchObject({ held: false, daemon: expect.anything() })
  })

  inWorld("has commands refused where its connection goes before its claim is written", function* ({ enrol, tables }) {
    const [roster, writer] = [yield* Roster, yield* PresenceWriter]
    const { token, daemonId } = enrol()
    const hash = hashCredential(token)
    const written = yield* Deferred.make<void>()
    yield* Effect.forkChild(writer.exclusive(Deferred.await(written)), { startImmediately: true })
    const claim = roster.claim(tokenOwner(tables, hash)!, authOf(token), hash)
    const connecting = yield* Effect.forkChild(claim, { startImmediately: true })
    yield* settle
    yield* Fiber.interrupt(connecting)
    yield* Deferred.succeed(written, undefined)
    yield* settle
    expect(roster.find(daemonId)).toMatchObject({ held: false, daemon: undefined })
  })

  inWorld(
    "begins a new time online without the sessions of the one that ended elsewhere",
    function* ({ enrol, tables }) {
      const roster = yield* Roster
      const enrolled = enrol()
      const peer = yield* connect(enrolled.token)
      peer.say("status_report", { timestamp: 1, sessions: [session("s1")] })
      endElsewhere(tables, enrolled, 0)
      yield* connect(enrolled.token)
      expect(roster.find(enrolled.daemonId)?.snapshot).toMatchObject({ epoch: 2, sessions: [] })
    }
  )

  inWorld(
    "goes on with its sessions, and says that its tags are others, when it left as it came back",
    function* ({ enrol }) {
      const roster = yield* Roster
      const { token, daemonId } = enrol()
      const retagged: Array<string> = []
      yield* (yield* Bus).subscribe("daemon_retagged", (told) => void retagged.push(told.daemonId))
      const peer = yield* connect(token, { tags: { env: "prod" } })
      peer.say("status_report", { timestamp: 1, sessions: [session("s1")] })
      // the claim waits for a write, and the end of the older connection comes meanwhile
      const written = Deferred.makeUnsafe<void>()
      const writer = yield* PresenceWriter
      yield* Effect.forkChild(writer.exclusive(Deferred.await(written)), { startImmediately: true })
      yield* Effect.forkChild(connect(token, { tags: { env: "test" } }), { startImmediately: true })
      yield* settle
      peer.link.closed(1000)
      yield* Deferred.succeed(written, undefined)
      yield* settle
      expect(roster.find(daemonId)?.snapshot).toMatchObject({
        epoch: 2,
        tags: { env: "test" },
        sessions: [{ id: "s1" }]
      })
      expect(retagged).toEqual([daemonId])
    }
  )

  inWorld("goes on with the sessions that another node stored of it", function* ({ enrol, tables }) {
    const roster = yield* Roster
    const { token, daemonId } = enrol()
    Object.assign(tables.daemons.get(daemonId)!.snapshot, { sessions: [session("s1")] })
    tables.presence.set(daemonId, { epoch: 3, node: "other", since: 0, lastEndedAt: undefined })
    yield* connect(token)
    expect(roster.find(daemonId)?.snapshot).toMatchObject({ epoch: 4, sessions: [{ id: "s1" }] })
  })
})

describe("a daemon whose time online was ended by another node", () => {
  inWorld("begins a new one when its connection is stated again, from then on", function* ({ enrol, told, tables }) {
    const roster = yield* Roster
    const enrolled = enrol()
    const peer = yield* connect(enrolled.token)
    endElsewhere(tables, enrolled, 1_000)
    yield* TestClock.adjust(5_000)
    yield* roster.reclaim(enrolled.daemonId)
    expect(roster.find(enrolled.daemonId)?.snapshot.connectedAt).toBe(5_000)
    yield* TestClock.adjust(2_000)
    peer.link.closed(1000)
    yield* settle
    expect(told.log).toEqual(["connected box", "connected box", "disconnected box: closed after 2000"])
  })

  inWorld("is gone when it is stated again in its grace", function* ({ enrol, told, tables }) {
    const roster = yield* Roster
    const enrolled = enrol()
    const peer = yield* connect(enrolled.token)
    peer.link.closed(1006)
    endElsewhere(tables, enrolled, 0)
    yield* roster.reclaim(enrolled.daemonId)
    expect(roster.find(enrolled.daemonId)).toBeUndefined()
    expect(told.log).toEqual(["connected box", `moved ${enrolled.daemonId}`])
  })

  inWorld(
    "is left to the node that took it over when it is stated again in its grace",
    function* ({ enrol, told, tables }) {
      const roster = yield* Roster
      const enrolled = enrol()
      const peer = yield* connect(enrolled.token)
      peer.link.closed(1006)
      const row = tables.presence.get(enrolled.daemonId)!
      tables.presence.set(enrolled.daemonId, { ...row, node: "node_heir" })
      yield* roster.reclaim(enrolled.daemonId)
      expect(tables.presence.get(enrolled.daemonId)).toMatchObject({ node: "node_heir", epoch: row.epoch })
      expect(roster.find(enrolled.daemonId)).toBeUndefined()
      expect(told.log).toEqual(["connected box", `moved ${enrolled.daemonId}`])
    }
  )

  inWorld("leaves as it was when it is ordered away while it is stated again", function* ({ enrol, tables }) {
    const roster = yield* Roster
    const writer = yield* SnapshotWriter
    const enrolled = enrol()
    yield* connect(enrolled.token)
    endElsewhere(tables, enrolled, 1_000)
    yield* TestClock.adjust(5_000)
    const stated = yield* Effect.forkChild(roster.reclaim(enrolled.daemonId), { startImmediately: true })
    roster.ordered(enrolled.daemonId, "disconnected")
    yield* Fiber.await(stated)
    expect(roster.find(enrolled.daemonId)).toBeUndefined()
    expect(writer.unwritten(enrolled.daemonId)).toMatchObject({ online: false, connectedAt: 0 })
  })
})
