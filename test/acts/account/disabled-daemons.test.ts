/**
 * What an account that is disabled ends of what is alive: its daemons' connections and commands, on every node, and
 * nobody else's.
 */
import { Context, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Bus } from "../../../src/bus/bus.ts"
import { newId } from "../../../src/domain/ids.ts"
import { disabledAwayMillisMin, disabledSpreadMillis } from "../../../src/limits/sockets.ts"
import { disabledAwayMillis, disabledClose } from "../../../src/protocol/close.ts"
import { connect, type Enrolled, type makeWorld, settle } from "../../support/daemon-services.ts"
import { setDisabled, tellDisabled } from "../../support/disabled-account.ts"
import { fc, forAll } from "../../support/properties.ts"
import { withOneDaemon } from "../../support/virtual-hub.ts"
import { command, inWorld, inWorldFromAnywhere } from "../../support/with-daemon-services.ts"

/** As an administrator does: in the store, then to all nodes. */
const disable = (world: ReturnType<typeof makeWorld>, { accountId }: Enrolled) =>
  Effect.gen(function* () {
    const bus = yield* Bus
    setDisabled(world.store, accountId, true)
    tellDisabled(bus, accountId)
    yield* settle
  })

describe("an account that is disabled", () => {
  inWorldFromAnywhere("ends the commands under way to its daemons as lost", function* (world) {
    const enrolled = world.enrol()
    const peer = yield* connect(enrolled.token)
    const asked = yield* Effect.forkChild(command(enrolled.accountId, enrolled.daemonId), { startImmediately: true })
    yield* settle
    expect(peer.of("command")).toHaveLength(1)
    yield* disable(world, enrolled)
    expect(yield* Fiber.join(asked)).toBe("DaemonSocketLost")
  })

  inWorld("keeps no daemon in its grace, and lets them in again once it is enabled", function* (world) {
    const enrolled = world.enrol()
    ;(yield* connect(enrolled.token)).link.closed(1006)
    yield* disable(world, enrolled)
    expect((yield* connect(enrolled.token)).closes).toEqual([4423])
    setDisabled(world.store, enrolled.accountId, false)
    ;(yield* Bus).publish("account_changed", enrolled)
    expect((yield* connect(enrolled.token)).closes).toEqual([])
    yield* TestClock.adjust(60_000)
    expect(world.told.log.filter((word) => !word.startsWith("moved"))).toEqual(["connected box", "connected box"])
  })

  it("has its daemons closed by a node that heard nothing of it, by the store's word, once messages may be lost", () =>
    withOneDaemon(2, function* (hub) {
      const [daemon] = hub.daemons
      yield* hub.dial(daemon!, 0)
      hub.nodes[0]!.line.hang(true)
      yield* hub.disable(daemon!, 1)
      hub.nodes[0]!.line.hang(false)
      hub.nodes[0]!.line.lose()
      tellDisabled(Context.get(hub.nodes[1]!.services, Bus), newId("account"))
      expect(daemon!.sockets[0]!.peer.closes).toEqual([])
      yield* hub.pass(2_000)
      expect(daemon!.sockets[0]!.peer.closes).toEqual([4423])
      expect(hub.told(daemon!)).toEqual(["connected"])
      yield* hub.dial(daemon!, 1)
      expect(daemon!.sockets[1]!.peer.closes).toEqual([4423])
    }))
})

it("a daemon of a disabled account is told to keep away for one to two minutes, the same each time, as JSON in the reason of its close", () =>
  forAll(fc.string(), (daemonId) => {
    const afterMs = disabledAwayMillis(daemonId)
    expect(afterMs).toBeGreaterThanOrEqual(disabledAwayMillisMin)
    expect(afterMs).toBeLessThan(disabledAwayMillisMin + disabledSpreadMillis)
    expect(JSON.parse(disabledClose(daemonId).name)).toEqual({ afterMs })
  }))

it("a daemon of a disabled account comes back beside the others of its account, and not with them", () => {
  const times = Array.from({ length: 1_000 }, () => disabledAwayMillis(newId("daemon")))
  const inSecond = new Map<number, number>()
  for (const one of times.map((time) => Math.floor(time / 1_000))) inSecond.set(one, (inSecond.get(one) ?? 0) + 1)
  expect(Math.max(...inSecond.values())).toBeLessThan(60)
})
