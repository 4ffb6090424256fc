/** docs/daemon-protocol.md: policies, of the reference daemon with an agent that asks. */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { interruptMillis, lateTextMillis } from "../../../daemon/limits.ts"
import { admission } from "../../support/fake-hub.ts"
import { startRig, testProvider } from "../../support/reference-daemon.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"
import { virtualClock } from "../../support/virtual-clock.ts"

const rule = (effect: string, resource: string, action = "execute") => ({
  rule: `p/${resource}`,
  action,
  resource,
  effect
})
const policy = {
  version: "v1",
  rules: [rule("allow", "ls *"), rule("deny", "git push *")],
  default: "ask",
  onTimeout: "reject"
}

/** A daemon with an agent in virtual time. */
const scene = async (policyFile = join(testFolder("policies"), "kept", "policies")) => {
  const clock = virtualClock()
  const admit = () => ({ ...admission, heartbeatMs: 36_000_000 })
  const rig = await startRig({ clock, admit, providers: [testProvider()], policyFile })
  onTestFinished(() => rig.close())
  const hub = await rig.hub.connection(1)
  await until("the admission", () => rig.lines.some((line) => line.startsWith("connected")))
  const launched = await hub.ask({ type: "launch_cli", payload: { cliType: "tester" } })
  const { sessionId } = launched["result"] as { sessionId: string }
  const say = (message: string) => hub.ask({ type: "send_chat", targetSessionId: sessionId, payload: { message } })
  const chat = async () =>
    (await hub.ask({ type: "read_chat", targetSessionId: sessionId }))["result"] as {
      status: string
      error?: string
      messages: ReadonlyArray<{ id: string; role: string; text: string }>
      activeModal?: { promptId: string; expiresAt?: number; subject?: unknown }
    }
  const is = (status: string) =>
    until(`the agent is ${status}`, async () => {
      const now = await chat()
      return now.status === status ? now : undefined
    })
  /** What the agent was answered. */
  const answered = async (message: string) => {
    expect(await say(message)).toMatchObject({ success: true })
    return (await is("idle")).messages.at(-1)!.text
  }
  const logged = async () => {
    const answer = await hub.ask({ type: "read_log", payload: { log: { kind: "session", id: sessionId }, after: 0 } })
    return (answer["result"] as { events: ReadonlyArray<Record<string, unknown>> }).events
  }
  const tell = async (data: unknown) => {
    hub.send("policy", data)
    await chat()
  }
  return { rig, hub, clock, policyFile, sessionId, say, chat, is, answered, logged, tell }
}

describe("a daemon with policies", () => {
  it("P128: answers what they allow and deny, by the call that the question only names, and asks the rest", async () => {
    const { hub, clock, answered, say, is, logged, tell, sessionId } = await scene()
    await tell(policy)
    expect(await answered("run ls -la")).toBe("answered once")
    expect(await answered('run ls && sh -c "git pu""sh"')).toBe("answered no")
    await say("run make")
    const { activeModal } = await is("waiting_approval")
    expect(activeModal?.subject).toEqual({ action: "execute", resource: "make" })
    const resolved = (await logged()).filter(({ type }) => type === "approval_resolved")
    expect(resolved).toMatchObject([
      { action: "approve", by: "policy", rule: "p/ls *", message: "Run it" },
      { action: "reject", by: "policy", rule: "p/git push *" }
    ])
    clock.advance(10_000)
    const event = await hub.saw("status_event", ({ event, rule }) => event === "approval:resolved" && rule === "p/ls *")
    expect(event).toMatchObject({ targetSessionId: sessionId, by: "policy", decision: "approve", count: 1 })
  })

  it("P129: decides by the last ones without a connection and after a restart, and asks for all where a rule is none", async () => {
    const first = await scene()
    await first.tell(policy)
    const later = await scene(first.policyFile)
    expect(await later.answered("run git push")).toBe("answered no")
    await later.tell({ ...policy, version: "v2", rules: [rule("allow", "ls *"), { effect: "forbid" }] })
    await later.say("run ls")
    await later.is("waiting_approval")
    writeFileSync(first.policyFile, "{")
    const broken = await scene(first.policyFile)
    await broken.say("run git push")
    await broken.is("waiting_approval")
    expect(broken.rig.lines.some((line) => line.startsWith("the kept policies cannot be read"))).toBe(true)
  })

  it("P130: tells what they decided before it ends", async () => {
    const { rig, hub, clock, answered, tell } = await scene()
    await tell(policy)
    await answered("run ls -la")
    let isOver = false
    void rig.daemon.stop().then(() => (isOver = true))
    await until("it ends", () => {
      clock.advance(20)
      return isOver
    })
    await hub.saw("status_event", ({ event }) => event === "approval:resolved")
  })

  it("P129: keeps them where that failed before, and however many the hub sends", async () => {
    const folder = testFolder("full")
    const blocked = join(folder, "kept")
    writeFileSync(blocked, "")
    const first = await scene(join(blocked, "policies"))
    const rules = [...policy.rules, ...Array.from({ length: 5_000 }, (_, at) => rule("allow", `make ${at}`.padEnd(90)))]
    await first.tell({ ...policy, rules })
    rmSync(blocked)
    await first.tell({ ...policy, rules })
    const later = await scene(first.policyFile)
    expect(await later.answered("run git push")).toBe("answered no")
  })

  it("rejects a question without an answer in time, and goes on waiting where that is left", async () => {
    const { clock, say, is, chat, tell, logged } = await scene()
    await tell({ ...policy, timeoutSeconds: 60 })
    await say("run make")
    const { activeModal } = await is("waiting_approval")
    expect(activeModal?.expiresAt).toBe(clock.now() + 60_000)
    clock.advance(60_000)
    expect((await is("idle")).messages.at(-1)!.text).toBe("answered no")
    expect((await logged()).at(-1)).toMatchObject({ type: "status" })
    await tell({ ...policy, version: "v3", timeoutSeconds: 60, onTimeout: "leave" })
    await say("run make")
    await is("waiting_approval")
    clock.advance(600_000)
    expect((await chat()).status).toBe("waiting_approval")
  })
})

it("an agent that is interrupted gives up its turn; one that does not is started anew within 10 s, and goes on", async () => {
  const { hub, clock, sessionId, say, is, answered } = await scene()
  const interrupt = () => hub.ask({ type: "interrupt", targetSessionId: sessionId })
  expect(await interrupt()).toMatchObject({ success: false, code: "nothing_to_interrupt" })
  await say("hang")
  expect(await interrupt()).toMatchObject({ success: true, result: { sessionId } })
  await is("idle")
  await say("deaf")
  expect(await interrupt()).toMatchObject({ success: true })
  clock.advance(interruptMillis - 1)
  await is("generating")
  clock.advance(1)
  expect((await is("error")).error).toContain("was started anew")
  await until("it takes messages again", async () => {
    clock.advance(100)
    return (await say("hello"))["success"]
  })
  await is("idle")
  expect(await answered("again")).toBe("echo: again")
})

it("an agent whose text comes after its turn has said one message, which is told once more as a whole", async () => {
  const { clock, say, chat, logged } = await scene()
  await say("late")
  await until("the late text", async () => (await chat()).messages.at(-1)!.text === "before, after")
  clock.advance(lateTextMillis)
  const { messages } = await chat()
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"])
  const whole = (await logged()).filter(({ type, role }) => type === "message" && role === "assistant")
  expect(whole.at(-1)).toMatchObject({ messageId: messages[1]!.id, text: "before, after" })
  expect(new Set(whole.map(({ messageId }) => messageId)).size).toBe(1)
})
