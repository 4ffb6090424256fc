/** What outside software sends is read as far as it fits: null is absent, and what does not fit costs only itself. */
import { describe, expect, it, vi } from "vitest"
import {
  controlsPerSessionMax,
  providersPerDaemonMax,
  sessionsPerDaemonMax,
  workspacesPerDaemonMax
} from "../../../src/limits.ts"
import { decodeFrame } from "../../../src/protocol/codec.ts"
import {
  ActiveModal,
  Auth,
  AvailableProvider,
  CommandResult,
  SessionReport,
  StatusEvent,
  StatusReport
} from "../../../src/protocol/frames.ts"

import {
  auths,
  events,
  type Members,
  modals,
  providers,
  reports,
  results,
  session,
  sessions,
  text,
  whatFits
} from "../../support/frame-members.ts"

type Json = Record<string, unknown>

const read = (type: string, data: unknown) => {
  const frame = decodeFrame(JSON.stringify({ type, data })) as { type: string; data: Json; misfits?: Array<Json> }
  return { type: frame.type, data: frame.data, problems: (frame.misfits ?? []).map(({ at, reason }) => [at, reason]) }
}

/** A frame with one such object in it, and where that is read from. */
interface Home {
  readonly frame: string
  readonly around: (one: Json) => Json
  readonly at: string
  readonly found: (data: Json) => unknown
}

const top = (frame: string): Home => ({ frame, around: (one) => one, at: frame, found: (data) => data })
const inReport = (at: string, around: (one: Json) => Json, found: (data: Json) => unknown): Home => ({
  frame: "status_report",
  around: (one) => ({ timestamp: 1, sessions: [], ...around(one) }),
  at: `status_report.${at}`,
  found
})
type Listed = ReadonlyArray<Json>
const homes: ReadonlyArray<readonly [string, { readonly fields: object }, Members, Home]> = [
  ["an auth", Auth, auths, top("auth")],
  ["a report", StatusReport, reports, top("status_report")],
  [
    "a session",
    SessionReport,
    sessions,
    inReport(
      "sessions[0]",
      (one) => ({ sessions: [one] }),
      (data) => (data["sessions"] as Listed)[0]
    )
  ],
  [
    "a modal",
    ActiveModal,
    modals,
    inReport(
      "sessions[0].activeModal",
      (one) => ({ sessions: [{ ...session, activeModal: one }] }),
      // the session stands, whatever its modal costs
      (data) => (data["sessions"] as Listed)[0]!["activeModal"]
    )
  ],
  [
    "a provider",
    AvailableProvider,
    providers,
    inReport(
      "availableProviders[0]",
      (one) => ({ availableProviders: [one] }),
      (data) => (data["availableProviders"] as Listed)[0]
    )
  ],
  ["an event", StatusEvent, events, top("status_event")],
  ["a result", CommandResult, results, top("command_result")]
]

/** Whether the frame is still what it is without a member of its own. */
const stands = (frame: string, name: string): boolean =>
  !(frame === "status_event" && name === "event") &&
  !(frame === "command_result" && (name === "id" || name === "success"))

describe.each(homes)("of %s", (_, schema, members, { frame, around, at, found }) => {
  const good = whatFits(members)
  const isTop = at === frame

  it("each member is known here, and all that fit are read", () => {
    expect(Object.keys(members).sort()).toEqual(Object.keys(schema.fields).sort())
    const { data, problems } = read(frame, around(good))
    expect([found(data), problems]).toEqual([good, []])
  })

  it.each(Object.keys(members))("%s may be missing only where it is not needed, and null is the same", (name) => {
    const { [name]: _, ...rest } = good
    const isNeeded = members[name]![1].includes(null)
    for (const [given, why] of [
      [rest, "is missing"],
      [{ ...rest, [name]: null }, "is null"]
    ] as const) {
      const { type, data, problems } = read(frame, around(given))
      expect(problems).toEqual(isNeeded ? [[`${at}.${name}`, why]] : [])
      if (isTop && !stands(frame, name)) expect(type).toBe("misfit")
      else expect(found(data)).toEqual(isNeeded && !isTop ? undefined : rest)
    }
  })

  const wrong = Object.entries(members).flatMap(([name, [, values, reason]]) =>
    values.filter((value) => value !== null).map((value) => [name, value, reason] as const)
  )
  it.each(wrong)("%s that is %j costs itself, or who needs it, and is named", (name, value, reason) => {
    const { [name]: _, ...rest } = good
    const { type, data, problems } = read(frame, around({ ...rest, [name]: value }))
    expect(problems).toEqual([[`${at}.${name}`, reason]])
    if (isTop && !stands(frame, name)) expect(type).toBe("misfit")
    else expect(found(data)).toEqual(members[name]![1].includes(null) && !isTop ? undefined : rest)
  })
})

describe("what is beyond a bound", () => {
  const many = (length: number, one: unknown) => Array.from({ length }, () => one)
  const provider = { type: "p", category: "cli" }
  it.each([
    ["sessions", sessionsPerDaemonMax, 200, session],
    ["availableProviders", providersPerDaemonMax, 500, provider],
    ["workspaces", workspacesPerDaemonMax, 100, { name: "w" }]
  ])("of %s is dropped and named: %i are kept", (name, most, figure, one) => {
    expect(most).toBe(figure)
    const full = read("status_report", { timestamp: 1, sessions: [], [name]: many(most, one) })
    expect([full.data[name], full.problems]).toEqual([many(most, one), []])
    const over = read("status_report", { timestamp: 1, sessions: [], [name]: many(most + 3, one) })
    expect(over.data[name]).toEqual(many(most, one))
    expect(over.problems).toEqual([[`status_report.${name}[${most}]`, `is beyond the ${most} that are kept`]])
  })
  it.each([
    ["providerControls", many(65, { id: "c" }), many(64, { id: "c" })],
    ["providerControls", Object.fromEntries(many(65, 0).map((_, n) => [`c${n}`, n])), undefined],
    ["controlValues", Object.fromEntries(many(65, 0).map((_, n) => [`c${n}`, n])), undefined]
  ])("of a session's %s is dropped and named: 64 are kept", (name, given, expected) => {
    expect(controlsPerSessionMax).toBe(64)
    const { data, problems } = read("status_report", { timestamp: 1, sessions: [{ ...session, [name]: given }] })
    const kept = (data["sessions"] as Listed)[0]![name] as object
    if (expected === undefined) expect(Object.keys(kept)).toEqual(Object.keys(given).slice(0, 64))
    else expect(kept).toEqual(expected)
    expect(problems).toEqual([[`status_report.sessions[0].${name}`, "is beyond the 64 that are kept"]])
  })
  it("is counted in full, and named once", () => {
    const bad = { ...session, title: 7 }
    const { misfits } = decodeFrame(
      JSON.stringify({ type: "status_report", data: { timestamp: 1, sessions: many(205, bad) } })
    ) as { misfits: unknown }
    expect(misfits).toEqual([
      { member: "status_report.sessions.title", at: "status_report.sessions[0].title", reason: text, times: 200 },
      { member: "status_report.sessions", at: "status_report.sessions[200]", reason: expect.any(String), times: 5 }
    ])
  })
  it("is named by one text, however many of its kind there are", () => {
    const buttons = many(50_000, 7)
    const frame = { ...session, activeModal: { message: "m", buttons } }
    const joined = vi.spyOn(Array.prototype, "join")
    const { misfits } = decodeFrame(
      JSON.stringify({ type: "status_report", data: { timestamp: 1, sessions: [frame] } })
    ) as { misfits: unknown }
    const texts = joined.mock.calls.length
    joined.mockRestore()
    expect(misfits).toMatchObject([{ member: "status_report.sessions.activeModal.buttons", times: 50_000 }])
    expect(texts).toBeLessThan(10)
  })
})

describe("a workspace", () => {
  const of = (workspace: unknown) => read("auth", { token: "t", workspaces: [workspace] }).data["workspaces"]
  it.each([
    [{ name: "app", path: "/src/app" }, [{ name: "app", path: "/src/app" }]],
    [{ id: "ws_1", path: "/w/app", label: "My app", addedAt: 1_790_000_000_000 }, [{ name: "My app", path: "/w/app" }]],
    [{ id: "ws_1", path: "/w/app", label: null, addedAt: 0 }, [{ name: "app", path: "/w/app" }]],
    [{ name: "", label: "", path: "/w/app" }, [{ name: "app", path: "/w/app" }]],
    [{ path: "C:\\src\\app" }, [{ name: "app", path: "C:\\src\\app" }]],
    [{ name: 7, path: "/w/app" }, [{ name: "app", path: "/w/app" }]],
    [{ name: "app", path: 7 }, [{ name: "app" }]],
    [{ name: "app", path: null }, [{ name: "app" }]],
    ["/src/app/", [{ name: "app", path: "/src/app/" }]],
    ["app", [{ name: "app" }]],
    ["/", [{ name: "/", path: "/" }]],
    [{ id: "ws_1" }, []],
    [{ name: 7 }, []],
    ["", []],
    [7, []],
    [null, []]
  ])("given as %j is read as %j", (given, expected) => expect(of(given)).toEqual(expected))
})
