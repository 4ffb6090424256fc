/** A command to a connected daemon and its result: sent once, answered once, never waited for too long. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { counted, gauged } from "../../../src/runtime/metrics.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { connect, settle } from "../../support/daemon-services.ts"
import { failure, idOf, liveFromAnywhere } from "./connected-actor.ts"

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

  liveFromAnywhere("that the daemon refuses is an answer", function* ({ peer, ask, told }) {
    const fiber = yield* ask()
    peer.say("command_result", { id: idOf(peer), success: false, error: "no such IDE", code: "NO_IDE" })
    yield* told
    expect(fiber.pollUnsafe()).toMatchObject({ value: { success: false, error: "no such IDE", code: "NO_IDE" } })
  })

  liveFromAnywhere(
    "whose result fails its schema is a refusal, and the socket stays open",
    function* ({ peer, ask, told }) {
      const fiber = yield* ask()
      peer.say("command_result", { id: idOf(peer), success: "yes" })
      yield* told
      expect(fiber.pollUnsafe()).toMatchObject({ value: { success: false, code: "RESULT_INVALID" } })
      expect(peer.closes).toEqual([])
    }
  )

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
      expect(world.commands.get(idOf(peer))?.state).toBe("succeeded")
      peer.say("command_result", { id: idOf(peer), success: true })
      expect(counted("hub_frames_ignored_total", "second result")).toBe(ignored + 1)
      expect(peer.closes).toEqual([])
    }
  )

  liveFromAnywhere("may wait for less than 60 s, never for more", function* ({ peer, ask }) {
    yield* ask({ deadlineMs: 1_000 })
    yield* ask({ deadlineMs: 3_600_000 })
    expect(peer.of("command").map((data) => data["deadlineMs"])).toEqual([1_000, 60_000])
  })

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
    "is refused as overloaded when 64 wait, and the daemon sees nothing of it",
    function* ({ peer, ask, told }) {
      for (let n = 0; n < 64; n++) yield* ask()
      expect(gauged("hub_commands_pending")).toBe(64)
      const fiber = yield* ask()
      yield* told
      expect(fiber.pollUnsafe()).toMatchObject(failure("Overloaded", { retryAfter: 1 }))
      expect(peer.of("command").length).toBe(64)
      peer.say("command_result", { id: idOf(peer, 7), success: true })
      expect((yield* ask()).pollUnsafe()).toBeUndefined()
      expect(peer.of("command").length).toBe(65)
    }
  )

  liveFromAnywhere(
    "over 2 MiB is refused as too large, and the daemon sees nothing of it",
    function* ({ peer, ask, told }) {
      const fiber = yield* ask({ payload: { message: "é".repeat(1_048_576) } })
      yield* told
      expect(fiber.pollUnsafe()).toMatchObject(failure("PayloadTooLarge", { limit: 2_097_152 }))
      expect(peer.of("command")).toEqual([])
      expect(peer.closes).toEqual([])
    }
  )

  liveFromAnywhere(
    "that finds no room in the outbox is refused as overloaded, and no other that waits is lost",
    function* ({ peer, ask, told }) {
      const timers = yield* Timers
      const first = yield* ask()
      const timersBefore = timers.size()
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
      expect([gauged("hub_commands_pending"), timers.size()]).toEqual([1, timersBefore])
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

  liveFromAnywhere(
    "is lost when the socket is, and is not sent again to the next connection",
    function* ({ peer, ask, told, enrolled }) {
      const fiber = yield* ask()
      peer.link.closed(1006)
      yield* told
      expect(fiber.pollUnsafe()).toMatchObject(failure("DaemonSocketLost", { commandId: idOf(peer) }))
      const next = yield* connect(enrolled.token)
      expect(next.of("command")).toEqual([])
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

  liveFromAnywhere(
    "may have 8 MiB, any other frame 1 MiB; beyond, the socket closes with 4400",
    function* ({ peer, ask, told, enrolled }) {
      const fiber = yield* ask()
      peer.say("command_result", { id: idOf(peer), success: true, result: "r".repeat(8_000_000) })
      yield* told
      expect(fiber.pollUnsafe()).toMatchObject({ value: { success: true } })
      expect(peer.closes).toEqual([])
      peer.say("status_report", { timestamp: 1, sessions: [], note: "n".repeat(1_048_576) })
      expect(peer.closes).toEqual([4400])
      const second = yield* connect(enrolled.token)
      yield* ask()
      second.say("command_result", { id: idOf(second), success: true, result: "r".repeat(8_388_608) })
      expect(second.closes).toEqual([4400])
    }
  )
})
