/** A daemon actor over a long life, and at a sudden end. */
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, describe, expect } from "vitest"
import { Directory } from "../../../actors/commands/directory.ts"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { daemonMailboxMax } from "../../../src/limits.ts"
import { Ice } from "../../../src/outbound/ice.ts"
import { connect, makeWorld, settle } from "../../support/daemon-services.ts"
import { failure, idOf, live } from "./connected-actor.ts"

/** TURN for two hours, unless it is away; `slow`: too late for the welcome. */
const turn = (source: { away: boolean; slow?: boolean }) => {
  const forAccount = () =>
    Effect.map(Clock.currentTimeMillis, (now) => ({
      iceServers: [{ urls: [source.away ? "stun:s" : "turn:t"] }],
      turn: !source.away,
      expiresAt: now + 2 * 3_600_000,
      cached: false
    }))
  const expired = Effect.map(Clock.currentTimeMillis, (now) => ({
    iceServers: [{ urls: ["stun:s"] }],
    turn: false,
    expiresAt: now,
    cached: false
  }))
  return Layer.succeed(Ice, { forAccount, forWelcome: () => (source.slow === true ? expired : forAccount()) })
}

describe("ICE servers", () => {
  live(
    "that came too late for the welcome follow in a frame as soon as they are there",
    function* ({ peer }) {
      yield* settle
      expect(peer.of("auth_ok")).toMatchObject([{ turn: false }])
      expect(peer.of("ice_servers")).toMatchObject([{ turn: true, iceServers: [{ urls: ["turn:t"] }] }])
    },
    makeWorld(turn({ away: false, slow: true }))
  )

  const source = { away: false }
  afterEach(() => {
    source.away = false
  })
  const sent = (on: boolean, hours: number) => ({
    iceServers: [{ urls: [on ? "turn:t" : "stun:s"] }],
    turn: on,
    expiresAt: hours * 3_600_000 - 300_000
  })
  live(
    "are renewed five minutes before they end, without TURN only in their last minute, and when that is news",
    function* ({ peer }) {
      yield* TestClock.adjust("114 minutes")
      expect(peer.of("ice_servers")).toEqual([])
      yield* TestClock.adjust("1 minutes")
      yield* settle
      expect(peer.of("ice_servers")).toEqual([sent(true, 4)])
      source.away = true
      yield* TestClock.adjust("115 minutes")
      yield* settle
      expect(peer.of("ice_servers").length).toBe(1)
      source.away = false
      yield* TestClock.adjust("1 minutes")
      yield* settle
      expect(peer.of("ice_servers")[1]).toMatchObject({ turn: true })
      source.away = true
      yield* TestClock.adjust("118 minutes")
      yield* settle
      expect(peer.of("ice_servers").length).toBe(2)
      yield* TestClock.adjust("1 minutes")
      yield* settle
      expect(peer.of("ice_servers")[2]).toMatchObject({ turn: false })
      yield* TestClock.adjust("4 hours")
      yield* settle
      expect(peer.of("ice_servers").length).toBe(3)
    },
    makeWorld(turn(source))
  )
})

describe("a daemon actor killed in mid-work", () => {
  live("closes with 4500, fails who waits, and is not restarted; its daemon is in grace, not gone", function* (one) {
    const { peer, ask, world, enrolled } = one
    const directory = yield* Directory
    const supervisor = yield* Supervisor
    const other = world.enrol()
    const neighbour = yield* connect(other.token)
    const fiber = yield* ask()
    supervisor.find("daemon", `${enrolled.daemonId}#1`)!.kill()
    expect(peer.closes).toEqual([4500])
    expect(fiber.pollUnsafe()).toMatchObject(failure("DaemonSocketLost", { commandId: idOf(peer) }))
    expect(world.told.log).toEqual(["connected box", "connected box"])
    expect(yield* directory.online(enrolled.accountId)).toHaveLength(1)
    expect(neighbour.closes).toEqual([])
    peer.say("status_event", { event: "agent:stopped", targetSessionId: "s", timestamp: 1 })
    expect(world.told.reported).toEqual([])
    const back = yield* connect(enrolled.token)
    expect(back.of("command")).toEqual([])
    yield* TestClock.adjust(60_000)
    expect(world.told.log).toEqual(["connected box", "connected box"])
  })

  live("by a bug in its own turn ends the same way", function* ({ peer, ask, world }) {
    const supervisor = yield* Supervisor
    const fiber = yield* ask()
    const before = supervisor.crashes("daemon")
    peer.send = () => {
      throw new Error("a bug")
    }
    const second = yield* ask()
    expect(supervisor.crashes("daemon")).toBe(before + 1)
    expect(peer.closes).toEqual([4500])
    for (const lost of [fiber, second]) expect(lost.pollUnsafe()).toMatchObject(failure("DaemonSocketLost"))
    expect(supervisor.size("daemon")).toBe(0)
    expect(world.told.log).toEqual(["connected box"])
  })
})

describe("a connected daemon", () => {
  live(
    `may have ${daemonMailboxMax} messages waiting for its actor; one more closes with 4500`,
    function* ({ peer, ask }) {
      let meanwhile = daemonMailboxMax
      peer.send = () => {
        for (let nth = 0; nth < meanwhile; nth++) peer.link.heard()
        return "sent"
      }
      yield* ask()
      expect(peer.closes).toEqual([])
      meanwhile++
      yield* ask()
      expect(peer.closes).toEqual([4500])
    }
  )
})
