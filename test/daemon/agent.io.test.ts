/** Agents, really run: the test agent speaks the Agent Client Protocol over its stdio. */
import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { agentsMax } from "../../daemon/limits.ts"
import type { SeenConnection } from "../support/fake-hub.ts"
import { foreignAgent } from "../support/foreign/agent.ts"
import { given } from "../support/given.ts"
import { isAlive, type Rig, startRig, testProvider } from "../support/reference-daemon.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"

const providers = [
  testProvider(),
  testProvider("cli-tester"),
  foreignAgent("models"),
  { ...foreignAgent("stops max_tokens"), type: "stopping" }
]
let rig: Rig
let hub: SeenConnection

beforeEach(async () => {
  rig = await startRig({ providers })
  hub = await rig.hub.connection(1)
})
afterEach(() => rig.close())

type Chat = {
  status: string
  messages: ReadonlyArray<{ role: string; text: string }>
  activeModal?: { promptId: string }
}

const launch = async (cliType = "tester", more: Record<string, unknown> = {}): Promise<string> => {
  const answer = await hub.ask({ type: "launch_cli", payload: { cliType, ...more } })
  expect(answer).toMatchObject({ success: true, result: { type: cliType, status: "idle" } })
  return (answer["result"] as { sessionId: string }).sessionId
}
const say = (targetSessionId: string, message: string) =>
  hub.ask({ type: "send_chat", targetSessionId, payload: { message } })
const read = async (targetSessionId: string): Promise<Chat> =>
  (await hub.ask({ type: "read_chat", targetSessionId }))["result"] as Chat
const settled = (id: string, status: string) =>
  until(`the agent is ${status}`, async () => {
    const chat = await read(id)
    return chat.status === status ? chat : undefined
  })
const stop = (targetSessionId: string, cliType = "tester") =>
  hub.ask({ type: "stop_cli", targetSessionId, payload: { cliType } })
const happened = (event: string, id: string) =>
  hub.saw("status_event", (data) => data["event"] === event && data["targetSessionId"] === id)
const acknowledged = (): void => hub.send("event_ack", { ids: hub.frames.flatMap(({ data }) => data["id"] ?? []) })

describe("an agent", () => {
  given(launch)("is launched, told something, read, and stopped", async (id) => {
    expect(await say(id, "hello there")).toMatchObject({ success: true, result: { accepted: true, sessionId: id } })
    const chat = await settled(id, "idle")
    expect(chat.messages.map(({ role, text }) => [role, text])).toEqual([
      ["user", "hello there"],
      ["tool", "Think"],
      ["assistant", "echo: hello there"]
    ])
    await happened("agent:generating_started", id)
    const done = await happened("agent:generating_completed", id)
    expect(done).toMatchObject({ providerType: "tester", workspaceName: tmpdir() })
    expect(Number.isInteger(done["duration"])).toBe(true)
    expect(await stop(id)).toMatchObject({ success: true, result: { stopped: [id] } })
    await happened("agent:stopped", id)
    expect(await say(id, "?")).toMatchObject({ success: false, code: "unknown_session" })
    acknowledged()
  })

  given(launch)("that asks waits for approval, shows the question, and goes on when it is approved", async (id) => {
    await say(id, "ask")
    const chat = await settled(id, "waiting_approval")
    const { promptId, ...modal } = chat.activeModal!
    expect(modal).toMatchObject({
      message: "Remove the build folder",
      buttons: ["Always", "Once", "No"],
      subject: { action: "other", resource: "Remove the build folder" }
    })
    expect(await happened("agent:waiting_approval", id)).toMatchObject({
      promptId,
      modalMessage: "Remove the build folder",
      modalButtons: ["Always", "Once", "No"]
    })
    expect(
      await hub.ask({ type: "resolve_action", targetSessionId: id, payload: { action: "approve" } })
    ).toMatchObject({ success: true, result: { action: "approve" } })
    expect((await settled(id, "idle")).messages.at(-1)?.text).toBe("answered once")
    await stop(id)
  })

  given(launch)("that asks again by now takes no answer to the question before", async (id) => {
    const answer = (action: string, promptId?: string) =>
      hub.ask({ type: "resolve_action", targetSessionId: id, payload: { action, promptId } })
    await say(id, "ask twice")
    const { promptId } = (await settled(id, "waiting_approval")).activeModal!
    expect(await answer("always", promptId)).toMatchObject({ success: true, result: { action: "always" } })
    const second = await until("the second question", async () => {
      const modal = (await read(id)).activeModal
      return modal !== undefined && modal.promptId !== promptId ? modal : undefined
    })
    const events = hub.frames.filter(({ data }) => data["event"] === "agent:waiting_approval")
    expect(events.map(({ data }) => data["promptId"])).toEqual([promptId, second.promptId])
    expect(await answer("approve", promptId)).toMatchObject({ success: false, code: "prompt_changed" })
    expect(await answer("approve", 7 as never)).toMatchObject({ success: false, code: "invalid_payload" })
    expect(await answer("reject", second.promptId)).toMatchObject({ success: true })
    expect((await settled(id, "idle")).messages.at(-1)?.text).toBe("answered always, then no")
    expect(await answer("approve", second.promptId)).toMatchObject({ success: false, code: "nothing_to_resolve" })
    await stop(id)
  })

  given(launch)("that asks nothing, or offers no way to allow it, is not approved", async (id) => {
    const approve = () => hub.ask({ type: "resolve_action", targetSessionId: id, payload: { action: "approve" } })
    expect(await approve()).toMatchObject({ success: false, code: "nothing_to_resolve" })
    await say(id, "unasked")
    await settled(id, "waiting_approval")
    expect(await approve()).toMatchObject({ success: false, code: "nothing_to_resolve" })
    expect(
      await hub.ask({ type: "resolve_action", targetSessionId: id, payload: { action: "perhaps" } })
    ).toMatchObject({ success: false, code: "invalid_payload" })
    await stop(id)
  })

  given(launch)("whose turn fails is in error with the reason, and can be asked again", async (id) => {
    await say(id, "fail")
    expect(await settled(id, "error")).toHaveProperty("error")
    await say(id, "better")
    expect((await settled(id, "idle")).messages.at(-1)?.text).toBe("echo: better")
    await stop(id)
  })

  it("that is busy refuses a second message, and is stopped in mid-turn without a completed event", async () => {
    const id = await launch()
    await say(id, "hang")
    expect((await read(id)).status).toBe("generating")
    expect(await say(id, "more")).toMatchObject({ success: false, code: "agent_busy" })
    expect(await stop(id)).toMatchObject({ success: true })
    await happened("agent:stopped", id)
    const events = hub.frames.filter(({ type, data }) => type === "status_event" && data["targetSessionId"] === id)
    expect(events.map(({ data }) => data["event"])).toEqual(["agent:generating_started", "agent:stopped"])
  })

  given(launch)("whose program ends by itself is in error until it is stopped or launched anew", async (id) => {
    await say(id, "crash")
    await happened("agent:stopped", id)
    const error = "Test agent is gone: it ended with code 3; the end of its stderr: test agent up, token=[redacted]"
    expect(await settled(id, "error")).toMatchObject({ error })
    expect(await say(id, "?")).toMatchObject({ success: false, code: "agent_gone", error })
    const next = await launch()
    expect(await say(id, "?")).toMatchObject({ success: false, code: "unknown_session" })
    await stop(next)
  })

  it("is launched where as many have ended as may run", async () => {
    const ids = await Promise.all(Array.from({ length: agentsMax }, () => launch()))
    await Promise.all(ids.map((id) => say(id, "crash")))
    await Promise.all(ids.map((id) => happened("agent:stopped", id)))
    await stop(await launch("cli-tester"), "cli-tester")
    acknowledged()
  })

  given(launch)("is ended with everything it started", async (id) => {
    await say(id, "spawn")
    const pid = Number((await settled(id, "idle")).messages.at(-1)?.text)
    expect(isAlive(pid)).toBe(true)
    await stop(id)
    await until("no orphan", () => !isAlive(pid))
  })

  it("is launched with a model it offers, and with no other", async () => {
    const id = await launch("tester", { model: "large" })
    await say(id, "model")
    expect((await settled(id, "idle")).messages.at(-1)?.text).toBe("large")
    await stop(id)
    expect(await hub.ask({ type: "launch_cli", payload: { cliType: "tester", model: "huge" } })).toMatchObject({
      success: false,
      code: "unknown_model"
    })
  })

  it("is launched with a model of the list that the protocol had before, and told which there are", async () => {
    const id = await launch("foreign", { model: "large" })
    await say(id, "?")
    expect((await settled(id, "idle")).messages.at(-1)?.text).toBe("large")
    await stop(id, "foreign")
    expect(await hub.ask({ type: "launch_cli", payload: { cliType: "foreign", model: "huge" } })).toMatchObject({
      code: "unknown_model",
      error: "this agent offers no model called huge: it offers small, large"
    })
    expect(await hub.ask({ type: "launch_cli", payload: { cliType: "stopping", model: "huge" } })).toMatchObject({
      error: "this agent offers no model called huge: it offers no choice of one"
    })
  })

  it("whose turn ends before all was said says why in chat and log, until its next turn", async () => {
    const id = await launch("stopping")
    await say(id, "?")
    expect(await settled(id, "idle")).toMatchObject({ stopReason: "max_tokens" })
    const read = await hub.ask({ type: "read_log", payload: { log: { kind: "session", id } } })
    const { events } = read["result"] as { events: ReadonlyArray<Record<string, unknown>> }
    expect(events.findLast(({ type }) => type === "status")).toMatchObject({ status: "idle", stopReason: "max_tokens" })
    await stop(id, "stopping")
  })

  it("that is unknown to this machine is not launched, and the refusal says why", async () => {
    const answer = await hub.ask({ type: "launch_cli", payload: { cliType: "nobody" } })
    expect(answer).toMatchObject({ success: false, code: "unknown_provider" })
    expect(answer["error"]).toContain("has no agent called nobody")
  })

  it("is launched in the folder that is named, if it is there", async () => {
    expect(await hub.ask({ type: "launch_cli", payload: { cliType: "tester", dir: "/nowhere" } })).toMatchObject({
      success: false,
      code: "no_such_folder"
    })
  })
})

describe("a command for an agent", () => {
  it("without a target goes to the only one that fits, never to one of several", async () => {
    expect(await hub.ask({ type: "read_chat" })).toMatchObject({ success: false, code: "no_agent" })
    const one = await launch()
    const cli = await launch("cli-tester")
    expect(await hub.ask({ type: "read_chat" })).toMatchObject({ success: false, code: "ambiguous_session" })
    expect(await hub.ask({ type: "read_chat", payload: { agentType: "cli-tester" } })).toMatchObject({
      result: { sessionId: cli }
    })
    expect(await hub.ask({ type: "read_chat", payload: { targetSessionId: one } })).toMatchObject({
      result: { sessionId: one }
    })
    await stop(one)
    await stop(cli, "cli-tester")
  })

  it("stop_cli without a target stops every session of the type, and says so when there is none", async () => {
    const ids = [await launch(), await launch()]
    const answer = await hub.ask({ type: "stop_cli", payload: { cliType: "tester" } })
    expect((answer["result"] as { stopped: ReadonlyArray<string> }).stopped).toEqual(ids)
    expect(await hub.ask({ type: "stop_cli", payload: { cliType: "tester" } })).toMatchObject({ code: "no_agent" })
  })

  it("chat_debug_bundle gives evidence of provider, program, session and chat, without secrets", async () => {
    const id = await launch()
    const answer = await hub.ask({
      type: "chat_debug_bundle",
      targetSessionId: id,
      payload: { frontendSnapshot: { shown: 1, token: "abc" } }
    })
    const { bundle, text } = answer["result"] as { bundle: Record<string, unknown>; text: string }
    expect(bundle).toMatchObject({
      provider: { type: "tester" },
      process: { alive: true },
      session: { id },
      chat: { status: "idle" },
      frontendSnapshot: { shown: 1, token: "[redacted]" }
    })
    expect(text).toContain("test agent up")
    expect(text).not.toContain("sesame-open")
    await stop(id)
  })

  it("launch_cli is refused when too many agents run or start, and what starts is ended with the daemon", async () => {
    await rig.close()
    const pids = join(testFolder("slow"), "pids")
    const slow = { ...testProvider("slow"), command: "/bin/sh", args: ["-c", `echo $$ >> ${pids}; exec sleep 1000`] }
    rig = await startRig({ providers: [slow] })
    hub = await rig.hub.connection(1)
    for (let at = 0; at < agentsMax; at++)
      hub.send("command", { id: `slow_${at}`, type: "launch_cli", payload: { cliType: "slow" }, deadlineMs: 60_000 })
    expect(await hub.ask({ type: "launch_cli", payload: { cliType: "slow" } })).toMatchObject({
      success: false,
      code: "too_many_agents"
    })
    const started = await until("all of them start", () => {
      const seen = readFileSync(pids, "utf8").trim().split("\n").map(Number)
      return seen.length === agentsMax ? seen : undefined
    })
    expect(started.every(isAlive)).toBe(true)
    await rig.daemon.stop()
    await until("no orphan", () => !started.some(isAlive))
  })
})
