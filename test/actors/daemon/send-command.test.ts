/** A command to a connected daemon and its result: sent once, answered once, never waited for too long. */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { abandonedCommandsMax, framesPer10sMax } from "../../../src/limits.ts"
import { counted, gauged } from "../../../src/runtime/metrics.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { settle } from "../../support/daemon-services.ts"
import { failure, idOf, live, liveFromAnywhere } from "./connected-actor.ts"

describe("a command", () => {
  liveFromAnywhere(
    "is sent once with its id, target and deadline, and its caller resumed in the tick of the result",
    function* ({ peer, ask, told }) {
      const timers = yield* Timers
      yield* TestClock.adjust(1_000)
      const before = timers.size()
      const fiber = yield* ask({ type: "send_chat", payload: { message: "hi" }, targetSessionId: "s1" })
      expect(peer.of("command")).toEqual([
        { id: idOf(peer), type: "send_chat", payload: { message: "hi" }, targetSessionId: "s1", deadlineMs: 60_000 }
      ])
      yield* TestClock.adjust(1_500)
      peer.say("command_result", { id: idOf(peer), success: true, result: { a: 1 } })
      yield* told
      expect(fiber.pollUnsafe()).toMatchObject({
        value: { commandId: idOf(peer), success: true, result: { a: 1 }, durationMs: 1_500 }
      })
      expect(peer.of("command").length).toBe(1)
      expect(timers.size()).toBe(before) // no deadline is left behind
    }
  )

  liveFromAnywhere("has its payload as it was given, however long", function* ({ peer, ask }) {
    const payload = { many: Array.from({ length: 1_000 }, (_, at) => ({ [`"name" ${at}`]: [null, "\u2028é", 0.1] })) }
    yield* ask({ type: "send_chat", payload })
    expect(peer.of("command")).toEqual([{ id: idOf(peer), type: "send_chat", payload, deadlineMs: 60_000 }])
  })

  liveFromAnywhere(
    "without a result ends 60 s after its acceptance, and a late result moves nothing",
    function* ({ world, peer, ask, told }) {
      const fiber = yield* ask({ type: "screenshot" })
      yield* TestClock.adjust(59_999)
      yield* told
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      yield* told
      expect(fiber.pollUnsafe()).toMatchObject(failure("CommandTimeout", { commandId: idOf(peer) }))
      // kept the first time, for whoever asks for it by its id
      const ignored = counted("hub_frames_ignored_total", "second result")
      peer.say("command_result", { id: idOf(peer), success: true })
      expect(counted("hub_frames_ignored_total", "second result")).toBe(ignored)
      for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
      expect(world.tables.commands.get(idOf(peer))?.state).toBe("succeeded")
      peer.say("command_result", { id: idOf(peer), success: true })
      expect(counted("hub_frames_ignored_total", "second result")).toBe(ignored + 1)
      expect(peer.closes).toEqual([])
    }
  )

  liveFromAnywhere(
    "whose caller hangs up is waited for no more; its late result is free and dropped",
    function* ({ peer, ask }) {
      const timers = yield* Timers
      yield* TestClock.adjust(1_000)
      const before = timers.size()
      const fiber = yield* ask()
      fiber.interruptUnsafe()
      yield* settle
      yield* TestClock.adjust(1_000)
      expect(timers.size()).toBe(before)
      peer.say("command_result", { id: idOf(peer), success: true })
      expect(peer.closes).toEqual([])
      expect(peer.of("command").length).toBe(1)
    }
  )

  liveFromAnywhere(
    "that finds no room in the outbox is refused as overloaded, and no other that waits is lost",
    function* ({ peer, ask, told }) {
      const timers = yield* Timers
      const first = yield* ask()
      const [waiting, timersBefore] = [gauged("hub_commands_pending"), timers.size()]
      const refusable: Array<boolean | undefined> = []
      const { send } = peer
      Object.assign(peer, {
        send: (_: string, mayBeRefused?: boolean) => {
          refusable.push(mayBeRefused)
          return "full"
        }
      })
      const refused = yield* ask()
      yield* told
      expect(refused.pollUnsafe()).toMatchObject(failure("Overloaded", { retryAfter: 1 }))
      expect(refusable).toEqual([true])
      expect([gauged("hub_commands_pending"), timers.size()]).toEqual([waiting, timersBefore])
      expect([first.pollUnsafe(), peer.closes]).toEqual([undefined, []])
      Object.assign(peer, { send })
      peer.say("command_result", { id: idOf(peer), success: true, result: 1 })
      yield* told
      expect(first.pollUnsafe()).toMatchObject({ value: { result: 1 } })
    }
  )

  liveFromAnywhere(
    "is lost when another frame finds no room, which cannot be refused: the socket closes with 4413",
    function* ({ peer, ask, told }) {
      const fiber = yield* ask()
      peer.answer = "dropped"
      peer.say("from_the_future", {})
      yield* told
      expect(fiber.pollUnsafe()).toMatchObject(failure("DaemonSocketLost"))
      expect(peer.closes).toEqual([4413])
    }
  )

  liveFromAnywhere(
    "that the socket drops is lost, never counted as sent, and the socket closes with 4413",
    function* ({ peer, ask, told }) {
      peer.answer = "dropped"
      const fiber = yield* ask()
      yield* told
      expect(fiber.pollUnsafe()).toMatchObject(failure("DaemonSocketLost"))
      expect(peer.closes).toEqual([4413])
    }
  )
})

describe("a result", () => {
  liveFromAnywhere("that comes twice, or for an unknown id, is counted and dropped", function* ({ peer, ask, told }) {
    const before = counted("hub_frames_ignored_total", "second result")
    const fiber = yield* ask()
    peer.say("command_result", { id: idOf(peer), success: true, result: 1 })
    peer.say("command_result", { id: idOf(peer), success: true, result: 2 })
    peer.say("command_result", { id: "cmd_unknown", success: true })
    yield* told
    expect(fiber.pollUnsafe()).toMatchObject({ value: { result: 1 } })
    expect(counted("hub_frames_ignored_total", "second result")).toBe(before + 2)
    expect(peer.closes).toEqual([])
  })
})

describe("a daemon whose callers hung up", () => {
  live(
    `sends the late results of the last ${abandonedCommandsMax} commands that nobody waits for free; that of an older one costs`,
    function* ({ peer, ask }) {
      for (let nth = 0; nth <= abandonedCommandsMax; nth++) {
        yield* Fiber.interrupt(yield* ask())
        yield* settle
      }
      const ids = peer.of("command").map(({ id }) => id)
      expect(ids).toHaveLength(abandonedCommandsMax + 1)
      for (let nth = 0; nth < framesPer10sMax; nth++)
        peer.say("status_event", { event: "agent:stopped", targetSessionId: "s", timestamp: nth })
      for (const id of ids.slice(1)) peer.say("command_result", { id, success: true })
      expect(peer.closes).toEqual([])
      peer.say("command_result", { id: ids[0], success: true })
      expect(peer.closes).toEqual([4429])
    }
  )
})
