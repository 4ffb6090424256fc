/** What a connected daemon sends: what it costs, what it leads to, and what is dropped. */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Directory } from "../../../actors/commands/directory.ts"
import type { CommandAnswer } from "../../../src/domain/command/command.ts"
import { frameCostMax, nodeCostPerSecond } from "../../../src/limits/cost.ts"
import {
  frameBytesPer10sMax,
  reportBurstSeconds,
  reportBytesPerSecond,
  reportBytesPerSecondPerDaemon,
  toldQuestionBytes
} from "../../../src/limits.ts"
import { LargeResult, textOfBytes } from "../../../src/protocol/large-frame.ts"
import { counted } from "../../../src/runtime/metrics.ts"
import { NodeCost } from "../../../src/runtime/node-cost.ts"
import { connect, settle } from "../../support/daemon-services.ts"
import { session } from "../../support/snapshots.ts"
import { type Live, live } from "./connected-actor.ts"

describe("frames", () => {
  live("that lack what makes them one are counted and dropped", ({ peer, world }) =>
    Effect.sync(() => {
      const before = counted("hub_frames_ignored_total", "misfit")
      peer.say("status_report", { timestamp: 1, sessions: [], p2p: Array.from({ length: 100_000 }, () => 0) })
      peer.say("status_event", { event: 7, timestamp: 1 })
      expect(counted("hub_frames_ignored_total", "misfit")).toBe(before + 2)
      expect(peer.closes).toEqual([])
      expect(world.told.log).toEqual(["connected box"])
    })
  )

  for (const text of ["nonsense", "null", "[]", '{"type":"status_report"}', '{"type":7,"data":{}}']) {
    live(`like ${text} close with 4400, and nothing said later counts`, ({ peer, world }) =>
      Effect.sync(() => {
        peer.text(text)
        expect(peer.closes).toEqual([4400])
        peer.say("status_event", { event: "agent:stopped", targetSessionId: "s", timestamp: 1 })
        peer.text(text)
        expect(peer.closes).toEqual([4400])
        expect(world.told.reported).toEqual([])
      })
    )
  }
})

live("reports with which questions begin and end wait for what it takes to tell of these", ({ peer, world }) =>
  Effect.gen(function* () {
    const questions = 200
    const report = (turn: number) => {
      const asking = (nth: number) =>
        session(`s${nth}`, { activeModal: { promptId: `${turn}`, message: "", buttons: [] } })
      peer.say("status_report", {
        timestamp: turn,
        sessions: Array.from({ length: questions }, (_, nth) => asking(nth))
      })
    }
    for (let turn = 1; turn <= 50; turn++) report(turn)
    const told = () => world.told.log.filter((words) => /^(?:asked|answered) /u.test(words)).length
    const perSecond = reportBytesPerSecond + reportBytesPerSecondPerDaemon
    const most = (perSecond * reportBurstSeconds) / toldQuestionBytes + 2 * questions
    expect(told()).toBeGreaterThan(questions)
    expect(told()).toBeLessThan(most)
    const before = told()
    yield* TestClock.adjust("1 second")
    // the newest has its turn
    expect(world.told.log.filter((words) => words === "asked 50")).toHaveLength(questions)
    expect(told() - before).toBe(2 * questions)
    expect(peer.closes).toEqual([])
  })
)

describe("frames of many small values", () => {
  const dense = Array.from({ length: 5_000 }, (_, nth) => ({ [`n${nth}`]: 0 }))

  live("close with 4429 although their bytes would be taken", ({ peer }) =>
    Effect.sync(() => {
      let sent = 0
      while (peer.closes.length === 0) {
        peer.say("status_event", { event: "agent:stopped", timestamp: 1, dense })
        sent++
      }
      expect(peer.closes).toEqual([4429])
      expect(sent * JSON.stringify(dense).length).toBeLessThan(frameBytesPer10sMax / 2)
    })
  )

  /** What so many commands end with that are answered by so many small objects. */
  const answersTo = function* ({ peer, ask, told }: Live, objects: number, commands: number) {
    const answers = []
    for (let nth = 0; nth < commands; nth++) {
      const fiber = yield* ask()
      const id = peer.of("command").at(-1)?.["id"]
      peer.say("command_result", { id, success: true, result: dense.slice(0, objects) })
      yield* told
      answers.push((yield* Fiber.join(fiber)) as CommandAnswer)
    }
    return answers
  }
  const unread = { success: false, code: "RESULT_NOT_READ" }

  for (const objects of [5_000, 500]) {
    live(
      `as results of ${objects} objects are not parsed on the loop, then not at all, and the socket stays open`,
      function* (given) {
        const answers = yield* answersTo(given, objects, 300_000 / objects)
        const { success, result } = answers[0]!
        expect([success, result instanceof LargeResult]).toEqual([true, true])
        expect(JSON.parse(textOfBytes((result as LargeResult).bytes))).toEqual(dense.slice(0, objects))
        expect(answers.at(-1)).toMatchObject(unread)
        // until the node has worked off what the account owes it
        yield* TestClock.adjust(1_000)
        expect((yield* answersTo(given, 1, 1))[0]).toMatchObject({ success: true })
        expect(given.peer.closes).toEqual([])
      }
    )
  }

  live(
    "as a result in another order of members settle its command, also where its daemon leaves right after it",
    (given) =>
      Effect.gen(function* () {
        const fiber = yield* given.ask()
        const id = given.peer.of("command").at(-1)?.["id"]
        given.peer.text(
          JSON.stringify({ data: { success: true, result: dense.slice(0, 500), id }, type: "command_result" })
        )
        given.peer.link.closed(1000)
        yield* given.told
        const { success, result } = (yield* Fiber.join(fiber)) as CommandAnswer
        expect([success, JSON.parse(textOfBytes((result as LargeResult).bytes))]).toEqual([true, dense.slice(0, 500)])
      })
  )

  live("as small results are read of a thousand commands, also where others cost the node much", function* (given) {
    const node = yield* NodeCost
    for (let nth = 0; nth < 20; nth++) node.owe(`acc_${nth}`, frameCostMax)
    const answers = yield* answersTo(given, 10, 1_000)
    expect(answers.filter(({ success }) => !success).length).toBeGreaterThan(0)
    // until so much is worked off
    yield* TestClock.adjust((20 * frameCostMax * 1_000) / nodeCostPerSecond)
    expect((yield* answersTo(given, 10, 1_000)).every(({ success }) => success)).toBe(true)
    expect(given.peer.closes).toEqual([])
  })
})

describe("an event", () => {
  live("is acknowledged once committed, all of a tick in one frame", function* ({ peer, world }) {
    for (const id of ["e1", "e2", "e3"])
      peer.say("status_event", { id, event: "agent:stopped", targetSessionId: "s", timestamp: 1 })
    yield* settle
    expect(peer.of("event_ack")).toEqual([])
    const [one, two] = world.told.reported
    one!.ack("e1")
    two!.ack("e2")
    expect(peer.of("event_ack")).toEqual([])
    yield* settle
    expect(peer.of("event_ack")).toEqual([{ ids: ["e1", "e2"] }])
  })

  live("committed after its connection ended is acknowledged to nobody", function* ({ peer, world, enrolled }) {
    peer.say("status_event", { id: "e1", event: "agent:stopped", targetSessionId: "s", timestamp: 1 })
    peer.link.closed(1006)
    const next = yield* connect(enrolled.token)
    world.told.reported[0]!.ack("e1")
    yield* settle
    expect(peer.of("event_ack")).toEqual([])
    expect(next.of("event_ack")).toEqual([])
  })

  live("goes out at once with 255 others that wait", ({ peer, world }) =>
    Effect.sync(() => {
      peer.say("status_event", { id: "e", event: "agent:stopped", targetSessionId: "s", timestamp: 1 })
      for (let n = 0; n < 256; n++) world.told.reported[0]!.ack(`e${n}`)
      expect(peer.of("event_ack").map((data) => (data["ids"] as Array<string>).length)).toEqual([256])
    })
  )
})

describe("a report", () => {
  live(
    "that says the same again moves only its time, wherever its members stand",
    function* ({ peer, world, enrolled }) {
      const directory = yield* Directory
      const data = { sessions: [session("s1")] }
      const first = { timestamp: 1, ...data }
      const last = { ...data, timestamp: 1 }
      for (const report of [first, last]) {
        peer.say("status_report", report)
        const before = yield* directory.snapshot(enrolled.accountId, enrolled.daemonId)
        yield* TestClock.adjust(30_000)
        const { length } = world.told.log
        const saves = world.store.saves.length
        peer.say("status_report", { ...report, timestamp: 30_001 })
        const after = yield* directory.snapshot(enrolled.accountId, enrolled.daemonId)
        expect(after.sessions).toBe(before.sessions)
        expect(after.observedAt! - before.observedAt!).toBe(30_000)
        yield* TestClock.adjust(2_000)
        expect(world.told.log.length).toBe(length)
        expect(world.store.saves.length).toBe(saves)
      }
    }
  )
})
