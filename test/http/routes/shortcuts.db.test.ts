/** The shortcuts over HTTP, over a scripted directory. */
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import { CommandTimeout, DaemonSocketLost, Overloaded } from "../../../src/errors.ts"
import { chatTextBytesMax, frontendSnapshotBytesMax, promptIdCharsMax } from "../../../src/limits.ts"
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
    ["cursor", "launch_ide", { ideType: "cursor", ...wishes }, "stop_ide"],
    ["aider", "launch_ide", { ideType: "aider", ...wishes }, "stop_ide"],
    ["goose", "launch_cli", { cliType: "goose", ...wishes }, "stop_cli"],
    ["unheard", "launch_cli", { cliType: "unheard", ...wishes }, "stop_cli"]
  ])("of %s are %s %j and %s", async (type, launch, payload, stop) => {
    expect((await call("POST", "d/launch", { type, dir: "/x", model: "m" })).body).toMatchObject({ success: true })
    expect((await call("POST", "d/stop", { type })).body).toMatchObject({ success: true, ...done })
    const word = "ideType" in payload ? { ideType: type } : { cliType: type }
    expect(sent()).toEqual([
      { type: launch, payload, targetSessionId: undefined },
      { type: stop, payload: word, targetSessionId: undefined }
    ])
  })
  it("answer 400 without a type", async () => {
    for (const body of [{}, { type: " " }, { type: 7 }, { type: "x".repeat(300) }]) {
      expect((await call("POST", "d/launch", body)).status).toBe(400)
      expect((await call("POST", "d/stop", body)).status).toBe(400)
    }
  })
})

describe("sending chat", () => {
  const said = { message: "hi", input: { parts: [{ type: "text", text: "hi" }], textFallback: "hi" } }
  it("gives the daemon both forms, whichever was used, and names the session", async () => {
    await call("POST", "d:cli:codex-cli/chat", { message: "hi" })
    await call("POST", "d:session:s1/chat", { input: said.input, agentType: "codex-cli" })
    expect(sent()).toEqual([
      { type: "send_chat", payload: said, targetSessionId: "s1" },
      { type: "send_chat", payload: { ...said, agentType: "codex-cli" }, targetSessionId: "s1" }
    ])
  })
  it("answers 400 to what says nothing, before looking for the target", async () => {
    for (const body of [{}, { message: " " }, { input: { parts: [{ type: "image", text: "x" }] } }, { message: 7 }]) {
      expect((await call("POST", "nobody:cli:x/chat", body)).status).toBe(400)
    }
  })
  it("answers 413 beyond 256 KiB", async () => {
    const message = "x".repeat(chatTextBytesMax + 1)
    expect(await call("POST", "d:cli:codex-cli/chat", { message })).toMatchObject({
      status: 413,
      body: { limit: chatTextBytesMax }
    })
  })
  it("answers 400 with the candidates when several sessions match, and sends nothing", async () => {
    expect(await call("POST", "d:acp:goose/chat", { message: "hi" })).toMatchObject({
      status: 400,
      body: { reason: "AMBIGUOUS_TARGET", candidates: ["d:session:g1", "d:session:g2"] }
    })
    expect(told.sent).toEqual([])
  })
  it("takes a target whose colons are percent-encoded", async () => {
    expect((await call("POST", `${encodeURIComponent("d:cli:codex-cli")}/chat`, { message: "hi" })).status).toBe(200)
  })
})

describe("reading chat", () => {
  it("flattens the daemon's chat and invents nothing", async () => {
    told.says = () => ({ result: { messages: [{ role: "user" }], status: "idle", title: "t", extra: 1 } })
    expect((await call("GET", "d:cli:codex-cli/chat")).body).toEqual({
      success: true,
      messages: [{ role: "user" }],
      status: "idle",
      title: "t",
      extra: 1,
      ...done
    })
    told.says = () => ({ result: {} })
    expect((await call("GET", "d:cli:codex-cli/chat")).body).toEqual({ success: true, ...done })
  })
  it("takes the most urgent session unless agentType narrows", async () => {
    await call("GET", "d:acp:goose/chat")
    await call("GET", "d/chat?agentType=cursor")
    expect(sent()).toEqual([
      { type: "read_chat", payload: {}, targetSessionId: "g2" },
      { type: "read_chat", payload: { agentType: "cursor" }, targetSessionId: "w" }
    ])
  })
  it("never fails on what a daemon answers", async () => {
    for (const result of ["text", null, undefined, 7, [1], { messages: "x", success: false, commandId: 9 }]) {
      told.says = () => ({ result })
      const { status, body } = await call("GET", "d:cli:codex-cli/chat")
      expect(status).toBe(200)
      expect(body["success"]).toBe(typeof result === "object" && result !== null && !Array.isArray(result))
      expect(body["commandId"]).toBe("cmd_1")
    }
  })
})

describe("the debug bundle", () => {
  it("is bounded and redacted again by the hub", async () => {
    told.says = () => ({ result: { bundle: { apiKey: "abcdefghijkl", a: 1 }, text: "key abcdefghijkl" } })
    const { body } = await call("GET", "d:cli:codex-cli/chat/debug?agentType=codex-cli")
    expect(body).toEqual({
      success: true,
      bundle: { apiKey: "[redacted]", a: 1 },
      text: "key [redacted]",
      ...done
    })
    expect(sent()[0]).toMatchObject({ type: "chat_debug_bundle", payload: { agentType: "codex-cli" } })
  })
  it("is supplemented by a snapshot that was redacted before the daemon got it", async () => {
    told.says = () => ({ result: { bundle: { a: 1 }, text: "t" } })
    const frontendSnapshot = { activeConversation: { sessionId: "s1" }, token: "abcdefghijkl" }
    const clean = { activeConversation: { sessionId: "s1" }, token: "[redacted]" }
    const { body } = await call("POST", "d:cli:codex-cli/chat/debug", { frontendSnapshot })
    expect(body["bundle"]).toEqual({ a: 1, frontendSnapshot: clean })
    expect(sent()[0]?.payload).toEqual({ frontendSnapshot: clean })
  })
  it("takes a body that is missing", async () => {
    told.says = () => ({ result: { bundle: {}, text: "t" } })
    expect((await call("POST", "d:cli:codex-cli/chat/debug")).status).toBe(200)
  })
  it("answers 400 to a snapshot that is no object and 413 to one over 256 KiB", async () => {
    for (const frontendSnapshot of ["x", [], 7]) {
      expect((await call("POST", "d/chat/debug", { frontendSnapshot })).status).toBe(400)
    }
    const frontendSnapshot = { text: "x".repeat(frontendSnapshotBytesMax) }
    expect((await call("POST", "d/chat/debug", { frontendSnapshot })).status).toBe(413)
    expect(told.sent).toEqual([])
  })
  it("is a refusal when the daemon sends no bundle", async () => {
    for (const result of ["x", {}, { bundle: "x" }, { bundle: [] }, null]) {
      told.says = () => ({ result })
      const { status, body } = await call("GET", "d:cli:codex-cli/chat/debug")
      expect([status, body["success"], body["daemonCode"]]).toEqual([200, false, "RESULT_INVALID"])
    }
  })
})

describe("approve", () => {
  it("resolves the action of the session", async () => {
    await call("POST", "d:cli:codex-cli/approve", { action: "approve" })
    await call("POST", "d:session:s1/approve", { action: "reject", agentType: "codex-cli" })
    expect(sent()).toEqual([
      { type: "resolve_action", payload: { action: "approve" }, targetSessionId: "s1" },
      { type: "resolve_action", payload: { action: "reject", agentType: "codex-cli" }, targetSessionId: "s1" }
    ])
  })
  it("answers 400 to any other action", async () => {
    for (const body of [{}, { action: "maybe" }, { action: ["always"] }, { action: true }]) {
      expect((await call("POST", "d:cli:codex-cli/approve", body)).status).toBe(400)
    }
  })
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

  it("is passed on with the prompt's id, and `always` with it", async () => {
    const body = { action: "always", promptId: "p2" }
    expect(await call("POST", "d:session:s1/approve", body)).toMatchObject({ status: 200, body: { success: true } })
    expect(sent()).toEqual([{ type: "resolve_action", payload: body, targetSessionId: "s1" }])
  })
  it("answers 409 and sends nothing where the last report has another prompt", async () => {
    const body = { action: "approve", promptId: "p1" }
    expect(await call("POST", "d:session:s1/approve", body)).toMatchObject(changed)
    const command = { type: "resolve_action", payload: { ...body, targetSessionId: "s1" } }
    expect(await call("POST", "../daemons/d/command", command)).toMatchObject(changed)
    expect(told.sent).toEqual([])
  })
  it("asks the daemon where no report has a prompt yet, and answers 409 when it finds another", async () => {
    told.says = () => ({ error: "Another question waits.", code: "prompt_changed" })
    const body = { action: "approve", promptId: "p1" }
    expect(await call("POST", "d:session:s2/approve", body)).toMatchObject(changed)
    const command = { type: "resolve_action", payload: body }
    expect(await call("POST", "../daemons/d/command", command)).toMatchObject(changed)
    expect(sent().map(({ payload }) => payload)).toEqual([body, body])
  })
  it("passes a daemon's refusal on as it is where the caller named no prompt", async () => {
    told.says = () => ({ error: "Another question waits.", code: "prompt_changed" })
    expect(await call("POST", "d:session:s1/approve", { action: "approve" })).toMatchObject({
      status: 200,
      body: { success: false, daemonCode: "prompt_changed" }
    })
  })
  it("takes null for none, and answers 400 to an id that is empty, long or no text", async () => {
    await call("POST", "d:session:s1/approve", { action: "approve", promptId: null })
    expect(sent()[0]?.payload).toEqual({ action: "approve" })
    for (const promptId of ["", " ", "x".repeat(promptIdCharsMax + 1), 7, {}]) {
      expect((await call("POST", "d:session:s1/approve", { action: "approve", promptId })).status).toBe(400)
    }
  })
})

describe("the status of an agent", () => {
  it("is answered without asking the daemon", async () => {
    expect(await call("GET", "d:cli:codex-cli/status")).toMatchObject({
      status: 200,
      body: {
        targetId: "d:cli:codex-cli",
        sessionId: "s1",
        status: "waiting_approval",
        rawStatus: "waiting_choice",
        activeModal: { message: "May I?", buttons: ["Yes"] }
      }
    })
    expect(told.sent).toEqual([])
  })
  it("is 404 for a target the daemon does not have", async () => {
    for (const target of ["d:cli:none", "d:session:none", "d:ide:codex-cli", "d:cli:", "d%2fx", "d/status/x"]) {
      expect((await call("GET", `${target}/status`)).status).toBe(404)
    }
    expect((await call("GET", "d/status?agentType=none")).status).toBe(404)
  })
})

describe("a command that fails on its way", () => {
  it.each([
    [new DaemonSocketLost({ commandId: "cmd_9" }), 503, { reason: "DAEMON_SOCKET_LOST", commandId: "cmd_9" }],
    [new Overloaded({ retryAfter: 1 }), 503, { reason: "OVERLOADED", retryAfter: 1 }],
    [new CommandTimeout({ commandId: "cmd_9" }), 504, { reason: "COMMAND_TIMEOUT", commandId: "cmd_9" }]
  ])("answers %s as the ladder says", async (failure, status, body) => {
    told.says = () => failure
    for (const answer of [
      await call("GET", "d:cli:codex-cli/chat"),
      await call("POST", "d:cli:codex-cli/chat", { message: "hi" }),
      await call("POST", "d/launch", { type: "x" })
    ]) {
      expect(answer).toMatchObject({ status, body })
    }
  })
})
