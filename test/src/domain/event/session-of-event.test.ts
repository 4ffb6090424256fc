/** Which session an event is about, also when it has left the report. */
import { describe, expect, it } from "vitest"
import { noMemory, rememberSessions, type SessionMemory } from "../../../../src/domain/daemon/session-memory.ts"
import { relayedPayload } from "../../../../src/domain/event/event-payload.ts"
import type { RelayedEvent } from "../../../../src/domain/event/events.ts"
import { maySend, sessionOfEvent } from "../../../../src/domain/event/session-of-event.ts"
import { departedSessionMillis, departedSessionsMax } from "../../../../src/limits/reports.ts"
import type { SessionReport, StatusEvent } from "../../../../src/protocol/frames.ts"
import { session, snapshot } from "../../../support/snapshots.ts"

const agent = (id: string, status = "idle", more: Partial<SessionReport> = {}) => session(id, { status, ...more })

/** What is remembered after these reports, a second apart, and the last of them. */
const having = (...reports: ReadonlyArray<ReadonlyArray<SessionReport>>) => {
  let memory: SessionMemory = noMemory
  let last = snapshot([])
  for (const [nth, sessions] of reports.entries()) {
    const next = snapshot(sessions)
    memory = rememberSessions(memory, last, next, nth * 1_000)
    last = next
  }
  const now = (reports.length - 1) * 1_000
  const of = (given: Partial<StatusEvent> = {}, event: RelayedEvent = "agent:stopped", later = 0) =>
    sessionOfEvent(last, memory, event, { event, ...given }, now + later)
  return { memory, last, now, of }
}

describe("a last event that names no session", () => {
  it("means the one that was generating last", () => {
    expect(having([agent("a"), agent("b", "generating")], [agent("a"), agent("b")]).of()?.id).toBe("b")
    expect(
      having([agent("a", "generating"), agent("b", "generating")], [agent("a"), agent("b", "thinking")]).of()?.id
    ).toBe("a")
    expect(having([agent("a", "generating"), agent("b")]).of({}, "agent:generating_completed")?.id).toBe("a")
    expect(having([agent("a", "generating"), agent("b"), agent("c")], [agent("b"), agent("c")]).of()?.id).toBe("a")
  })

  it("means none that its words do not fit", () => {
    const { of } = having([agent("a", "generating"), agent("b"), agent("c")])
    expect(of({ providerType: "goose" })).toBeUndefined()
    expect(of({ providerType: "codex-cli" })?.id).toBe("a")
  })

  it("is not sent where none was generating, and any other event is", () => {
    const { of } = having([agent("a"), agent("b")])
    for (const event of ["agent:stopped", "agent:generating_completed"] as const) {
      expect(maySend(event, of({}, event))).toBe(false)
      expect(maySend(event, of({ targetSessionId: "a" }, event))).toBe(true)
    }
    expect(maySend("agent:waiting_choice", of({}, "agent:waiting_choice"))).toBe(true)
  })

  it("means the one that has left, not the one that stayed", () => {
    expect(having([agent("a"), agent("b", "generating")], [agent("a")]).of()?.id).toBe("b")
    expect(having([agent("a")], []).of()?.id).toBe("a")
  })
})

describe("a session that has left the report", () => {
  const gone = agent("a", "idle", {
    providerSessionId: "conv",
    workspace: { name: "shop", path: "/shop" },
    muted: true,
    summaryMetadata: { large: true }
  })

  it("P116: is known for 60 s to its last events, and no longer", () => {
    const { of, last, now } = having([gone, agent("b")], [agent("b")])
    const given = { event: "agent:stopped", targetSessionId: "a" }
    const payload = (later: number) =>
      relayedPayload(last, "agent:stopped", given, now + later, of(given, "agent:stopped", later))
    expect(payload(departedSessionMillis - 1)).toMatchObject({
      targetSessionId: "a",
      providerType: "codex-cli",
      providerSessionId: "conv",
      workspaceName: "/shop",
      surfaceHidden: false,
      muted: true
    })
    expect(payload(departedSessionMillis)).not.toHaveProperty("providerType")
    expect(payload(departedSessionMillis)["targetSessionId"]).toBe("a")
  })

  it("is remembered without what no event says, and forgotten when it comes back", () => {
    const { memory } = having([gone], [])
    expect(JSON.stringify(memory)).not.toContain("large")
    expect(having([gone], [], [gone]).memory.departed).toEqual([])
  })

  it(`is one of the last ${departedSessionsMax}`, () => {
    const many = Array.from({ length: departedSessionsMax + 5 }, (_, nth) => agent(`s${nth}`))
    const { departed } = having(many, []).memory
    expect([departed.length, departed[0]!.session.id]).toEqual([departedSessionsMax, "s5"])
  })
})
