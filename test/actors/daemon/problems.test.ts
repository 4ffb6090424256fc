/** What did not fit of a daemon's frames: counted by member, logged once per connection, shown with the snapshot. */
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Directory } from "../../../actors/commands/directory.ts"
import { problemsShownMax, snapshotWriteMillis } from "../../../src/limits.ts"
import { counted } from "../../../src/runtime/metrics.ts"
import { connect, type Enrolled, makeWorld, settle } from "../../support/daemon-services.ts"
import { it as effectIt } from "../../support/effect-test.ts"
import { session } from "../../support/snapshots.ts"
import { live, liveFromAnywhere } from "./connected-actor.ts"

const problemsOf = ({ accountId, daemonId }: Enrolled) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    return ((yield* directory.snapshot(accountId, daemonId)).problems ?? []).map(({ at }) => at)
  })

const wrong = { ...session("s1"), title: 7 }

describe("what did not fit", () => {
  live("is counted by its member, each time and however often", ({ peer }) =>
    Effect.sync(() => {
      const stood = counted("hub_misfits_total", "status_report.sessions.title")
      peer.say("status_report", { timestamp: 1, sessions: [wrong, { ...wrong, id: "s2" }] })
      expect(counted("hub_misfits_total", "status_report.sessions.title")).toBe(stood + 2)
      peer.say("status_report", { timestamp: 2, sessions: [wrong] })
      expect(counted("hub_misfits_total", "status_report.sessions.title")).toBe(stood + 3)
    })
  )

  liveFromAnywhere("is shown whichever node is asked", function* ({ peer, enrolled }) {
    peer.say("status_event", { id: 7, event: "agent:stopped", targetSessionId: "s", timestamp: 1 })
    peer.say("status_report", { timestamp: 1, sessions: [wrong] })
    yield* TestClock.adjust(snapshotWriteMillis * 2)
    yield* settle
    expect(yield* problemsOf(enrolled)).toEqual(["status_event.id", "status_report.sessions[0].title"])
  })

  live("of a report that says the same again goes on being shown", function* ({ peer, enrolled }) {
    for (const timestamp of [1, 2]) peer.say("status_report", { timestamp, sessions: [wrong] })
    expect(yield* problemsOf(enrolled)).toEqual(["status_report.sessions[0].title"])
    for (const timestamp of [3, 4]) peer.say("status_report", { sessions: [{ ...wrong, muted: 1 }], timestamp })
    expect(yield* problemsOf(enrolled)).toEqual(["status_report.sessions[0].title", "status_report.sessions[0].muted"])
    peer.say("status_report", { sessions: [{ ...session("s1"), title: undefined, muted: 1 }], timestamp: 5 })
    expect(yield* problemsOf(enrolled)).toEqual(["status_report.sessions[0].muted"])
  })

  live(`is shown up to ${problemsShownMax}`, function* ({ peer, enrolled }) {
    const members = Object.keys(session("s"))
    const many = { cdpConnected: 1, workspaces: 1, availableProviders: [{}], timestamp: null }
    const flags = {
      title: 1,
      parentId: 1,
      providerName: 1,
      providerSessionId: 1,
      workspace: 1,
      cdpConnected: 1,
      muted: 1
    }
    const null1 = Object.fromEntries(members.map((name) => [name, null]))
    const wrong1 = Object.fromEntries(members.map((name) => [name, 1]))
    const more = { ...flags, surfaceHidden: 1, activeModal: { message: 1, buttons: 1 } }
    peer.say("status_event", {
      id: 1,
      event: "agent:stopped",
      targetSessionId: "s",
      timestamp: null,
      muted: 1,
      duration: 1.5,
      elapsedSec: -1
    })
    peer.say("status_report", { sessions: [null1, wrong1, {}, null, 1, { ...session("s"), ...more }], ...many })
    expect((yield* problemsOf(enrolled)).length).toBe(problemsShownMax)
  })

  effectIt.effect("is logged once per connection, with daemon, place and reason and without its value", () => {
    const world = makeWorld()
    const lines: Array<{ readonly level: string; readonly message: unknown }> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push({ level: logLevel, message }))
    const misfits = () => lines.filter(({ level }) => level === "Warn").map(({ message }) => message)
    const body = Effect.gen(function* () {
      const { daemonId, token } = world.enrol()
      const words = "what a daemon sent did not fit and was dropped"
      const line = (at: string, reason: string) => [words, { daemonId, at, reason, heldBack: 0 }]
      const peer = yield* connect(token, { platform: ["secret"] })
      peer.say("status_report", { timestamp: 1, sessions: [{ ...session("s"), title: ["secret"] }] })
      peer.say("status_report", { timestamp: 2, sessions: [session("t"), { ...session("s"), title: ["secret"] }] })
      yield* Effect.yieldNow
      expect(misfits()).toEqual([
        line("auth.platform", "is not a text"),
        line("status_report.sessions[0].title", "is not a text")
      ])
      expect(JSON.stringify(lines)).not.toContain("secret")
    })
    return Effect.provide(body, Layer.provideMerge(world.layer, Logger.layer([logger])))
  })
})
