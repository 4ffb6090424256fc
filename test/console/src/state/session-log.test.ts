/** What a session's events amount to on the page. */
import { describe, expect, it } from "vitest"
import { entryCharsMax, logCharsMax, logEntriesMax } from "../../../../console/src/limits.ts"
import {
  afterGap,
  afterLogEvent,
  emptyLog,
  type LogEvent,
  openQuestion
} from "../../../../console/src/state/session-log.ts"

let seq = 0
const event = (type: string, more: Record<string, unknown> = {}): LogEvent => ({
  seq: ++seq,
  type,
  timestamp: 1_000 + seq,
  ...more
})
const folded = (...events: ReadonlyArray<LogEvent>) => events.reduce(afterLogEvent, emptyLog)
const plain = (log: typeof emptyLog) => log.entries.map(({ key: _, at: __, ...entry }) => entry)

describe("a session on the page", () => {
  it("joins the pieces of a message, and has the whole one in their place", () => {
    const piece = (delta: string) => event("message_delta", { messageId: "m1", role: "assistant", delta })
    const grown = folded(piece("Hel"), piece("lo"))
    expect(plain(grown)).toEqual([{ kind: "message", role: "assistant", text: "Hello", whole: false }])
    const whole = afterLogEvent(grown, event("message", { messageId: "m1", role: "assistant", text: "Hello!" }))
    expect(plain(whole)).toEqual([{ kind: "message", role: "assistant", text: "Hello!", whole: true }])
  })

  it("keeps the title of a tool call whose update has only a state", () => {
    const log = folded(
      event("tool_call", { toolCallId: "c1", title: "Read", status: "pending" }),
      event("tool_call_update", { toolCallId: "c1", status: "completed" })
    )
    expect(plain(log)).toEqual([{ kind: "tool", title: "Read", status: "completed", blocks: [] }])
  })

  it("has one open question at a time: the newest without an answer", () => {
    const asked = (promptId: string) => event("approval_requested", { promptId, message: promptId, buttons: ["Yes"] })
    const log = folded(asked("p1"), event("approval_resolved", { promptId: "p1", action: "approve" }), asked("p2"))
    expect(openQuestion(log)).toMatchObject({ promptId: "p2", text: "p2", buttons: ["Yes"] })
    const done = afterLogEvent(log, event("approval_resolved", { promptId: "p2", action: "cancelled" }))
    expect([openQuestion(done), plain(done).map((one) => one.kind === "question" && one.answer)]).toEqual([
      undefined,
      ["approve", "cancelled"]
    ])
  })

  it("answers questions without a name by what is resolved without one", () => {
    const log = folded(event("approval_requested", { message: "May I?" }), event("approval_resolved", {}))
    expect(plain(log)).toMatchObject([{ kind: "question", answer: "answered" }])
  })

  it("knows the state, the newest plan and the failures of the agent, and passes over what it does not know", () => {
    const log = folded(
      event("plan", { entries: [{ content: "Look", status: "pending" }] }),
      event("plan", { entries: [{ content: "Look", status: "completed" }] }),
      event("status", { status: "error" }),
      event("usage", { used: 1 }),
      event("of_a_newer_daemon"),
      event("error", { message: "the model is away" })
    )
    expect(log.status).toBe("error")
    expect(plain(log)).toEqual([
      { kind: "plan", steps: [{ text: "Look", status: "completed" }] },
      { kind: "error", text: "the model is away" }
    ])
  })

  it(`holds ${logEntriesMax} entries, the newest, and says that some were left out`, () => {
    const many = Array.from({ length: logEntriesMax + 1 }, (_, at) =>
      event("message", { messageId: `n${at}`, role: "user", text: `${at}` })
    )
    const log = folded(...many)
    expect([log.entries.length, log.cut, plain(log)[0]]).toMatchObject([logEntriesMax, true, { text: "1" }])
    expect(folded(...many.slice(1)).cut).toBe(false)
  })

  it(`holds ${logCharsMax} characters in all`, () => {
    const whole = "x".repeat(entryCharsMax)
    const log = folded(
      ...Array.from({ length: logCharsMax / entryCharsMax + 2 }, () => event("message", { text: whole }))
    )
    expect([log.entries.length, log.chars, log.cut]).toEqual([logCharsMax / entryCharsMax, logCharsMax, true])
  })

  it(`holds the last ${entryCharsMax} characters of an entry`, () => {
    const piece = () => event("message_delta", { messageId: "long", role: "assistant", delta: "x".repeat(60_000) })
    const [entry] = plain(folded(piece(), piece()))
    expect(entry?.kind === "message" && entry.text.length).toBe(entryCharsMax + 1)
  })

  it("shows a gap where one is, and begins anew where the daemon began a new log", () => {
    const log = folded(event("message", { messageId: "m1", role: "user", text: "before" }))
    expect(plain(afterGap(log, "not_kept", 5)).map(({ kind }) => kind)).toEqual(["message", "gap"])
    expect(plain(afterGap(log, "log_restarted", 5)).map(({ kind }) => kind)).toEqual(["gap"])
  })
})
