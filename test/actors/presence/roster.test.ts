/** Online as the rest of the hub sees it: grace, replacement, restarts. */

import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Directory } from "../../../actors/commands/directory.ts"
import { connect, makeWorld, settle } from "../../support/daemon-services.ts"
import { it } from "../../support/effect-test.ts"
import { session } from "../../support/snapshots.ts"
import { command, inWorld } from "../../support/with-daemon-services.ts"

describe("presence", () => {
  inWorld(
    "begins where the last time online ended on another node, whose clock is ahead",
    function* ({ enrol, told, tables }) {
      const { token, accountId, daemonId } = enrol()
      const directory = yield* Directory
      tables.presence.set(daemonId, { epoch: 7, node: null, since: null, lastEndedAt: 5_000 })
      const peer = yield* connect(token)
      expect((yield* directory.snapshot(accountId, daemonId)).connectedAt).toBe(5_000)
      peer.link.closed(1000)
      yield* settle
      expect(told.log).toEqual(["connected box", "disconnected box: closed after 0"])
      expect(tables.presence.get(daemonId)).toMatchObject({ epoch: 8, node: null, lastEndedAt: 5_000 })
    }
  )

  inWorld("is not begun when the daemon came and went on other nodes at each try", function* ({ enrol, told, tables }) {
    const { token, daemonId } = enrol()
    let end = 0
    const presence = {
      epoch: 7,
      node: null,
      since: null,
      get lastEndedAt() {
        end += 1_000
        return end
      }
    }
    tables.presence.set(daemonId, presence)
    const peer = yield* connect(token)
    expect(peer.closes).toEqual([4500])
    expect(told.log).toEqual([])
  })

  inWorld("goes on without a word when the daemon is back within 15 s, with its sessions", function* ({ enrol, told }) {
    const { token, accountId, daemonId } = enrol()
    const directory = yield* Directory
    const peer = yield* connect(token)
    peer.say("status_report", { timestamp: 1, sessions: [session("s1")] })
    peer.link.closed(1006)
    yield* TestClock.adjust(14_000)
    yield* connect(token)
    yield* TestClock.adjust(60_000)
    expect(told.log.filter((line) => line.includes("connected"))).toEqual(["connected box"])
    const after = yield* directory.snapshot(accountId, daemonId)
    expect(after.sessions.map(({ id }) => id)).toEqual(["s1"])
    expect(after.connectedAt).toBe(0)
  })

  inWorld(
    "passes to the newest connection: the older closes with 4409 and what it still says counts for nothing",
    function* (world) {
      const { token, accountId, daemonId } = world.enrol()
      const directory = yield* Directory
      const older = yield* connect(token)
      const waiting = yield* Effect.forkChild(command(accountId, daemonId), { startImmediately: true })
      const newer = yield* connect(token)
      expect(older.closes).toEqual([4409])
      yield* settle
      expect(waiting.pollUnsafe()).toMatchObject({ value: "DaemonSocketLost" })
      older.say("status_report", { timestamp: 1, sessions: [session("ghost")] })
      older.say("status_event", { event: "agent:stopped", targetSessionId: "s", timestamp: 1 })
      older.link.closed(4409)
      yield* TestClock.adjust(60_000)
      expect(world.told.log).toEqual(["connected box"])
      expect((yield* directory.snapshot(accountId, daemonId)).sessions).toEqual([])
      expect(newer.closes).toEqual([])
    }
  )
})

describe("after a restart of the hub", () => {
  const before = makeWorld()
  const stays = before.enrol()
  const leaves = before.enrol()

  inWorld(
    "daemons that were online are recorded so",
    function* ({ tables }) {
      yield* connect(stays.token, { hostname: "stays" })
      yield* connect(leaves.token, { hostname: "leaves" })
      yield* TestClock.adjust(1_000)
      expect([...tables.daemons.values()].every(({ snapshot }) => snapshot.online)).toBe(true)
    },
    before
  )

  inWorld(
    "the sockets are told 1012 on the way out, and nobody is announced as gone",
    ({ told, tables }) =>
      Effect.sync(() => {
        expect(told.log).toEqual(["connected stays", "connected leaves"])
        expect([...tables.daemons.values()].every(({ snapshot }) => snapshot.online)).toBe(true)
      }),
    before
  )

  inWorld(
    "they get a fresh grace: who is back within it says nothing, who is not is announced as gone",
    function* ({ told }) {
      told.log.length = 0
      expect(yield* command(stays.accountId, stays.daemonId)).toBe("DaemonSocketLost")
      yield* TestClock.adjust(14_000)
      yield* connect(stays.token, { hostname: "stays" })
      yield* TestClock.adjust(2_000)
      expect(told.log).toEqual(["disconnected leaves: timeout after 15000"])
    },
    before
  )
})

describe("a hub that closes", () => {
  it.effect("ends every connection with 1012 and leaves the daemons recorded as online", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const { token, daemonId } = world.enrol()
      const peer = yield* connect(token).pipe(Effect.provide(world.layer, { local: true }))
      expect(peer.closes).toEqual([1012])
      expect(world.told.log).toEqual(["connected box"])
      expect(world.tables.daemons.get(daemonId)?.snapshot.online).toBe(true)
    })
  })
})
