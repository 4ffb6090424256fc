/** What a connected daemon sends: what it costs, what it leads to, and what is dropped. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Directory } from "../../../actors/commands/directory.ts"
import { counted } from "../../../src/runtime/metrics.ts"
import { connect, settle } from "../../support/daemon-services.ts"
import { session } from "../../support/snapshots.ts"
import { idOf, live } from "./connected-actor.ts"

describe("frames", () => {
  live("are paid for: the 101st in 10 s closes with 4429", function* ({ peer, world }) {
    for (let n = 0; n < 100; n++) peer.say("status_event", { event: "agent:stopped", timestamp: n })
    expect(peer.closes).toEqual([])
    peer.say("status_event", { event: "agent:stopped", timestamp: 100 })
    expect(peer.closes).toEqual([4429])
    expect(world.told.reported.length).toBe(100)
  })

  live("are forgiven after 10 s", function* ({ peer }) {
    for (let n = 0; n < 100; n++) peer.say("status_event", { event: "agent:stopped", timestamp: n })
    yield* TestClock.adjust(10_000)
    for (let n = 0; n < 100; n++) peer.say("status_event", { event: "agent:stopped", timestamp: n })
    expect(peer.closes).toEqual([])
  })

  live("of more than 8 MiB together in 10 s close with 4429", ({ peer }) =>
    Effect.sync(() => {
      const note = "n".repeat(1_000_000)
      for (let n = 0; n < 8; n++) peer.say("status_report", { timestamp: n, sessions: [], note })
      expect(peer.closes).toEqual([])
      peer.say("status_report", { timestamp: 9, sessions: [], note })
      expect(peer.closes).toEqual([4429])
    })
  )

  live("that answer waiting commands are free, also when the budget is spent", function* ({ peer, ask }) {
    for (let n = 0; n < 100; n++) peer.say("status_event", { event: "agent:stopped", timestamp: n })
    for (let n = 0; n < 200; n++) {
      const fiber = yield* ask()
      peer.say("command_result", { id: idOf(peer, n), success: true })
      expect(fiber.pollUnsafe()).toMatchObject({ value: { success: true } })
    }
    expect(peer.closes).toEqual([])
  })

  live("of an unknown type are answered with unsupported, and so is a second auth", ({ peer, enrolled }) =>
    Effect.sync(() => {
      peer.say("telepathy", {})
      peer.say("auth", { ...enrolled, protocol: 1, instanceId: "", version: "", hostname: "", platform: "" })
      expect(peer.of("unsupported")).toEqual([{ type: "telepathy" }, { type: "auth" }])
      expect(peer.closes).toEqual([])
    })
  )

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
        peer.say("status_event", { event: "agent:stopped", timestamp: 1 })
        peer.text(text)
        expect(peer.closes).toEqual([4400])
        expect(world.told.reported).toEqual([])
      })
    )
  }
})

describe("an event", () => {
  live("is acknowledged once committed, all of a tick in one frame", function* ({ peer, world }) {
    for (const id of ["e1", "e2", "e3"]) peer.say("status_event", { id, event: "agent:stopped", timestamp: 1 })
    yield* settle
    expect(peer.of("event_ack")).toEqual([])
    const [one, two] = world.told.reported
    one!.ack("e1")
    two!.ack("e2")
    expect(peer.of("event_ack")).toEqual([])
    yield* settle
    expect(peer.of("event_ack")).toEqual([{ ids: ["e1", "e2"] }])
  })

  live("that cannot be understood is acknowledged, so that it is not sent for ever", function* ({ peer }) {
    peer.say("status_event", { id: "e1", event: 7, timestamp: 1 })
    yield* settle
    expect(peer.of("event_ack")).toEqual([{ ids: ["e1"] }])
  })

  live("committed after its connection ended is acknowledged to nobody", function* ({ peer, world, enrolled }) {
    peer.say("status_event", { id: "e1", event: "agent:stopped", timestamp: 1 })
    peer.link.closed(1006)
    const next = yield* connect(enrolled.token)
    world.told.reported[0]!.ack("e1")
    yield* settle
    expect(peer.of("event_ack")).toEqual([])
    expect(next.of("event_ack")).toEqual([])
  })

  live("goes out at once with 255 others that wait", ({ peer, world }) =>
    Effect.sync(() => {
      peer.say("status_event", { id: "e", event: "agent:stopped", timestamp: 1 })
      for (let n = 0; n < 256; n++) world.told.reported[0]!.ack(`e${n}`)
      expect(peer.of("event_ack").map((data) => (data["ids"] as Array<string>).length)).toEqual([256])
    })
  )
})

describe("a report", () => {
  live("replaces the snapshot", function* ({ peer, world, enrolled }) {
    const directory = yield* Directory
    peer.say("status_report", { timestamp: 1, sessions: [session("s1")] })
    peer.say("status_report", { timestamp: 2, sessions: [session("s1"), session("s2")] })
    expect(world.told.log).toEqual(["connected box", "changed to 1 sessions", "changed to 2 sessions"])
    const snapshot = yield* directory.snapshot(enrolled.accountId, enrolled.daemonId)
    expect(snapshot.sessions.map(({ id }) => id)).toEqual(["s1", "s2"])
  })

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
        const { saves } = world.store
        peer.say("status_report", { ...report, timestamp: 30_001 })
        const after = yield* directory.snapshot(enrolled.accountId, enrolled.daemonId)
        expect(after.sessions).toBe(before.sessions)
        expect(after.observedAt! - before.observedAt!).toBe(30_000)
        yield* TestClock.adjust(2_000)
        expect(world.told.log.length).toBe(length)
        expect(world.store.saves).toBe(saves)
      }
    }
  )

  live(
    "leaves workspaces and providers as they were when it does not name them",
    function* ({ enrolled, peer: older }) {
      const directory = yield* Directory
      older.link.closed(1000)
      const peer = yield* connect(enrolled.token, {
        workspaces: [{ name: "w" }],
        availableProviders: [{ type: "codex-cli", category: "cli" }]
      })
      peer.say("status_report", { timestamp: 1, sessions: [] })
      const snapshot = yield* directory.snapshot(enrolled.accountId, enrolled.daemonId)
      expect(snapshot.workspaces).toEqual([{ name: "w" }])
      expect(snapshot.availableProviders).toEqual([{ type: "codex-cli", category: "cli" }])
    }
  )
})
