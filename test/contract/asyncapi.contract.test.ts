/** The AsyncAPI document under AsyncAPI's own parser, and its schemas against frames and against what the hub reads. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { beforeAll, describe, expect, inject, it } from "vitest"
import { Api } from "../../http/api/api.ts"
import { asyncReferenceOf } from "../../http/reference/asyncapi.ts"
import { referenceOf } from "../../http/reference/document.ts"
import type { HubFrame } from "../../src/protocol/hub-frames.ts"
import { readLogFrame } from "../../src/protocol/log-frames.ts"
import { root } from "../support/root.ts"
import { toolsFolder } from "./outside-tools.ts"
import { schemaCheck } from "./schema-check.ts"

interface Diagnostic {
  readonly code: string
  readonly message: string
  readonly path: ReadonlyArray<string>
}
interface Parsed {
  readonly document?: { readonly version: () => string }
  readonly diagnostics: ReadonlyArray<Diagnostic>
}
interface ParserPackage {
  readonly Parser: new () => { readonly parse: (text: string) => Promise<Parsed> }
}

/** What the story of the contract does not set moving. */
const rare: ReadonlyArray<HubFrame> = [
  { type: "auth_error", data: { reason: "member_missing", at: "token" } },
  { type: "auth_error", data: { reason: "protocol_unsupported", supported: [1] } },
  { type: "command_cancel", data: { id: "cmd_1" } },
  { type: "ice_servers", data: { iceServers: [{ urls: ["stun:hub.test"] }], turn: false, expiresAt: 1 } },
  { type: "reconnect", data: { afterMs: 1_000 } },
  { type: "log_unsubscribe", data: { log: { kind: "session", id: "s1" } } },
  { type: "unsupported", data: { type: "dance" } }
]

describe.skipIf(inject("contractToolsMissing"))("the AsyncAPI document", () => {
  const documentAt = (server: string) => asyncReferenceOf(referenceOf(Api, server), server)
  let wrong: (frame: { readonly type: string; readonly data?: unknown }) => string | undefined
  beforeAll(() => {
    const check = schemaCheck(documentAt("https://hub.test"))
    wrong = (frame) => check(["channels", "daemons_connect", "messages", frame.type, "payload"], frame)
  })

  it.each(["https://hub.test/base/", "/"])("at %s passes AsyncAPI's parser without a warning", async (server) => {
    const require = createRequire(join(toolsFolder, "package.json"))
    const { Parser } = require(join(toolsFolder, "node_modules/@asyncapi/parser/cjs/index.js")) as ParserPackage
    const { document, diagnostics } = await new Parser().parse(JSON.stringify(documentAt(server)))
    expect(document?.version()).toBe("3.0.0")
    // 3.1 has nothing that is needed here, and fewer tools read it
    const meant = diagnostics.filter(({ code }) => code !== "asyncapi-latest-version")
    expect(meant.map(({ code, path, message }) => `${code} ${path.join("/")}: ${message}`)).toEqual([])
  })

  it("describes the frames that the protocol document shows", () => {
    const text = readFileSync(join(root, "docs/daemon-protocol.md"), "utf8")
    const shown = [...text.matchAll(/```json\n([\s\S]*?)```/gu)].map(([, one]) => JSON.parse(one!))
    const frames = shown.filter(({ type }) => type !== undefined)
    expect(frames.length).toBeGreaterThan(3)
    expect(frames.map(wrong)).toEqual(frames.map(() => undefined))
  })

  it("describes the frames that a hub seldom sends", () => expect(rare.map(wrong)).toEqual(rare.map(() => undefined)))

  it("takes of frames of log events, which are read by hand, those that the hub takes whole", () => {
    const log = { kind: "session", id: "s1" }
    const event = { seq: 1, type: "message", timestamp: 1, text: "Hello" }
    const of = (more: Record<string, unknown>) => ({ log, logId: "l", lastSeq: 1, events: [event], ...more })
    const withEvent = (more: Record<string, unknown>) => of({ events: [{ ...event, ...more }] })
    const all = [
      ...[{}, { events: [] }, { logId: null, events: [] }, { log: { kind: "command", id: "" } }].map(of),
      ...[{ log: {} }, { log: { kind: "file", id: "s" } }, { log: { kind: "session", id: "x".repeat(1_025) } }].map(of),
      ...[{ logId: "" }, { logId: 1 }, { logId: "x".repeat(129) }, { lastSeq: -1 }, { lastSeq: 0.5 }].map(of),
      ...[{ seq: 0 }, { seq: "1" }, { type: "a b" }, { type: "" }, { type: "x".repeat(65) }].map(withEvent),
      ...[{ type: "x".repeat(64) }, { timestamp: "now" }, { seq: 2 ** 40 }, { text: null }].map(withEvent)
    ]
    const taken = all.map((data) => readLogFrame(data, 100, 100)?.misfits === 0)
    expect(taken).toContain(true)
    expect(taken).toContain(false)
    expect(all.map((data) => wrong({ type: "log_events", data }) === undefined)).toEqual(taken)
  })

  it("takes a workspace in each form that the hub reads, and no other", () => {
    const report = (workspace: unknown) => ({
      type: "status_report",
      data: { timestamp: 1, sessions: [], workspaces: [workspace] }
    })
    for (const fits of ["shop", "/src/shop", { path: "/src" }, { name: "n", path: "/p" }, { label: "l" }])
      expect(wrong(report(fits))).toBeUndefined()
    for (const misfit of ["", 7, {}, ["shop"]]) expect(wrong(report(misfit))).toBeDefined()
  })
})
