/** The shortcuts over HTTP, over a scripted directory. */
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import { frontendSnapshotBytesMax } from "../../../src/limits.ts"
import { useEdge } from "../../support/edge.ts"
import { keyOf, script, scriptedRoutes } from "../../support/scripted-directory.ts"
import { ide, session, snapshot } from "../../support/snapshots.ts"

const one: Snapshot = snapshot(
  [
    session("s1", { status: "waiting_choice", activeModal: { message: "May I?", buttons: ["Yes"] }, title: "t" }),
    ide("w"),
    session("g1", { providerType: "goose", transport: "acp" }),
    session("g2", { providerType: "goose", transport: "acp", status: "error" })
  ],
  { availableProviders: [{ type: "zed", category: "ide" }] }
)
const told = script([one])
const edge = useEdge({ credentials: { key: keyOf("a") } }, await scriptedRoutes(told))
beforeEach(() => {
  told.says = () => ({ result: { fine: true } })
  told.sent.length = 0
})

const call = async (method: string, path: string, body?: unknown) => {
  const answer = await fetch(`${edge.url}/api/v1/shortcuts/${path}`, {
    method,
    headers: { authorization: "Bearer key", "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> }
}
const sent = () => told.sent.map(({ type, payload, targetSessionId }) => ({ type, payload, targetSessionId }))
const done = { commandId: "cmd_1", durationMs: 7 }

describe("launch and stop", () => {
  const wishes = { dir: "/x", model: "m", initialModel: "m" }
  it.each([
    ["zed", "launch_ide", { ideType: "zed", ...wishes }, "stop_ide"],
    ["goose", "launch_cli", { cliType: "goose", ...wishes }, "stop_cli"]
  ])("of %s are %s %j and %s", async (type, launch, payload, stop) => {
    expect((await call("POST", "d/launch", { type, dir: "/x", model: "m" })).body).toMatchObject({ success: true })
    expect((await call("POST", "d/stop", { type })).body).toMatchObject({ success: true, ...done })
    const word = "ideType" in payload ? { ideType: type } : { cliType: type }
    expect(sent()).toEqual([
      { type: launch, payload, targetSessionId: undefined },
      { type: stop, payload: word, targetSessionId: undefined }
    ])
  })
})

it("sending chat takes a target whose colons are percent-encoded", async () =>
  expect((await call("POST", `${encodeURIComponent("d:cli:codex-cli")}/chat`, { message: "hi" })).status).toBe(200))

it("reading chat takes the most urgent session unless agentType narrows", async () => {
  await call("GET", "d:acp:goose/chat")
  await call("GET", "d/chat?agentType=cursor")
  expect(sent()).toEqual([
    { type: "read_chat", payload: {}, targetSessionId: "g2" },
    { type: "read_chat", payload: { agentType: "cursor" }, targetSessionId: "w" }
  ])
})

it("a raw command addresses a session by its id or any target id that means it", async () => {
  const raw = (type: string, payload: object) => call("POST", "../daemons/d/command", { type, payload })
  const ids = ["s1", "d:session:s1", "d:cli:codex-cli", "d"]
  for (const targetSessionId of ids) await raw("read_chat", { targetSessionId })
  await raw("resolve_action", { action: "approve", targetSessionId: "d:cli:codex-cli" })
  expect(told.sent.map((sent) => sent.targetSessionId)).toEqual(["s1", "s1", "s1", "s1", "s1"])
  for (const targetSessionId of ["other:session:s1", "d:ide:none", "d:acp:codex-cli"])
    expect((await raw("read_chat", { targetSessionId })).status).toBe(404)
})

it("the debug bundle is bounded and redacted again by the hub", async () => {
  told.says = () => ({ result: { bundle: { apiKey: "abcdefghijkl", a: 1 }, text: "key abcdefghijkl" } })
  const { body } = await call("GET", "d:cli:codex-cli/chat/debug?agentType=codex-cli")
  expect(body).toEqual({ success: true, bundle: { apiKey: "[redacted]", a: 1 }, text: "key [redacted]", ...done })
  expect(sent()[0]).toMatchObject({ type: "chat_debug_bundle", payload: { agentType: "codex-cli" } })
})
it("the debug bundle answers 400 to a snapshot that is no object and 413 to one over 256 KiB", async () => {
  for (const frontendSnapshot of ["x", [], 7])
    expect((await call("POST", "d/chat/debug", { frontendSnapshot })).status).toBe(400)
  const frontendSnapshot = { text: "x".repeat(frontendSnapshotBytesMax) }
  expect((await call("POST", "d/chat/debug", { frontendSnapshot })).status).toBe(413)
  expect(told.sent).toEqual([])
})

describe("approve with the prompt that was seen", () => {
  const asking = snapshot([
    session("s1", { status: "waiting_approval", activeModal: { promptId: "p2", message: "May I?", buttons: ["Yes"] } }),
    session("s2", { status: "generating" })
  ])
  beforeEach(() => {
    told.snapshots = [asking]
  })
  afterAll(() => {
    told.snapshots = [one]
  })
  const changed = { status: 409, body: { reason: "PROMPT_CHANGED" } }

  it("answers 409 and sends nothing where the session has no prompt, or no session of the daemon has this one", async () => {
    const body = { action: "approve", promptId: "p1" }
    expect(await call("POST", "d:session:s2/approve", body)).toMatchObject(changed)
    const command = { type: "resolve_action", payload: body }
    expect(await call("POST", "../daemons/d/command", command)).toMatchObject(changed)
    expect(told.sent).toEqual([])
  })
  it("answers 409 when the daemon finds another, and tells it the session of a prompt that is named alone", async () => {
    told.says = () => ({ error: "Another question waits.", code: "prompt_changed" })
    const body = { action: "approve", promptId: "p2" }
    expect(await call("POST", "d:session:s1/approve", body)).toMatchObject(changed)
    const command = { type: "resolve_action", payload: body }
    expect(await call("POST", "../daemons/d/command", command)).toMatchObject(changed)
    expect(sent().map(({ payload, targetSessionId }) => [payload, targetSessionId])).toEqual([
      [{ ...body, by: "key" }, "s1"],
      [{ ...body, by: "key" }, "s1"]
    ])
  })
})
