/** docs/daemon-protocol.md: command_result and command. */
import { describe, expect, it } from "vitest"
import { connectedDaemon, inTurn, type Owned, reported } from "../../support/connected-daemon.ts"
import { openEvents } from "../../support/event-stream.ts"
import { useHub } from "../../support/hub.ts"
import { until } from "../../support/until.ts"

const hub = useHub({ virtual: true })

const connected = () => connectedDaemon(hub)

describe("a result", () => {
  it("P34: answers the caller of its command, whatever the order", async () => {
    const { peer, command } = await connected()
    const one = command("read_chat", { n: 1 })
    const first = await peer.nextCommand()
    // this hub does not trace (P114)
    expect(first).not.toHaveProperty("traceparent")
    const two = command("read_chat", { n: 2 })
    const second = await peer.nextCommand()
    second.succeed("second")
    first.succeed("first")
    expect([(await one).body.result, (await two).body.result]).toEqual(["first", "second"])
  })

  it("P35: a second time, or with an id nobody asked about, is dropped, and the socket stays open", async () => {
    const { peer, command } = await connected()
    const answer = command("read_chat")
    const { id, succeed } = await peer.nextCommand()
    succeed("once")
    succeed("twice")
    peer.send("command_result", { id: "cmd_never_sent", success: true })
    expect((await answer).body).toMatchObject({ result: "once", commandId: id })
    await inTurn(peer)
  })

  it.each([
    ["without success", {}],
    ["with null for its success", { success: null }],
    ["with a word for its success", { success: "yes", result: "done" }]
  ])("P36: %s fails its command and nothing else", async (_, more) => {
    const { peer, command } = await connected()
    const answer = command("read_chat")
    const { id } = await peer.nextCommand()
    peer.send("command_result", { id, ...more })
    const { status, body } = await answer
    expect([status, body.success, typeof body.error]).toEqual([200, false, "string"])
    await inTurn(peer)
  })
})

describe("a prompt", () => {
  const prompt = { message: "Run it?", buttons: ["Yes", "No"] }
  const asking = (promptId: string) =>
    reported("s1", { status: "waiting_approval", activeModal: { promptId, ...prompt } })
  const shown = async ({ get, daemonId }: Owned) =>
    (await get(`/api/v1/shortcuts/${daemonId}:session:s1/status`)).body.activeModal?.promptId
  const approve = ({ post, daemonId }: Owned, promptId: string) =>
    post(`/api/v1/shortcuts/${daemonId}:session:s1/approve`, { action: "approve", promptId })

  it("P90: shows its id with the agent's status and passes it on in the event that tells of it", async () => {
    const mine = await connected()
    const stream = await openEvents(hub, mine.key)
    mine.peer.report([asking("p1")])
    await until("the prompt is known", async () => (await shown(mine)) === "p1")
    const event = "agent:waiting_approval"
    mine.peer.send("status_event", { event, timestamp: hub.now(), targetSessionId: "s1", promptId: "p1" })
    await until("the event is told", () => stream.text().includes(event))
    expect(stream.text()).toContain('"promptId":"p1"')
    stream.close()
    mine.peer.report([asking("x".repeat(257))])
    await until("another report is read", async () => (await shown(mine)) !== "p1")
    const [problem] = (await mine.status()).problems
    expect(problem.at).toBe("status_report.sessions[0].activeModal.promptId")
  })

  it("P117: has an id of the hub where its daemon gives none, and is resolved by it without the daemon seeing it", async () => {
    const mine = await connected()
    const asks = (message: string) => [
      reported("s1", { status: "waiting_approval", activeModal: { message, buttons: ["Yes"] } })
    ]
    mine.peer.report(asks("Run it?"))
    const first: string = await until("the prompt has an id", () => shown(mine))
    const answer = approve(mine, first)
    const { payload, targetSessionId, succeed } = await mine.peer.nextCommand()
    expect([payload, targetSessionId]).toEqual([{ action: "approve", by: "key" }, "s1"])
    succeed({})
    expect((await answer).status).toBe(200)
    mine.peer.report(asks("Remove it?"))
    await until("the next prompt is known", async () => (await shown(mine)) !== first)
    const changed = { status: 409, body: { reason: "PROMPT_CHANGED" } }
    for (const promptId of [first, "p1"]) {
      expect(await approve(mine, promptId)).toMatchObject(changed)
      const raw = { type: "resolve_action", payload: { action: "approve", promptId } }
      expect(await mine.post(`/api/v1/daemons/${mine.daemonId}/command`, raw)).toMatchObject(changed)
    }
    const second = await shown(mine)
    const raw = { type: "resolve_action", payload: { action: "approve", promptId: second } }
    const resolved = mine.post(`/api/v1/daemons/${mine.daemonId}/command`, raw)
    const named = await mine.peer.nextCommand()
    expect([named.payload, named.targetSessionId]).toEqual([{ action: "approve", by: "key" }, "s1"])
    named.succeed({})
    expect((await resolved).status).toBe(200)
    mine.peer.report([reported("s1")])
    await until("none waits", async () => (await shown(mine)) === undefined)
    expect(await approve(mine, second)).toMatchObject(changed)
  })

  it("P91: is resolved by its id, and by that of another prompt answered 409", async () => {
    const mine = await connected()
    mine.peer.report([asking("p1")])
    await until("the prompt is known", async () => (await shown(mine)) === "p1")
    const first = approve(mine, "p1")
    const { payload, refuse } = await mine.peer.nextCommand()
    expect(payload).toEqual({ action: "approve", promptId: "p1", by: "key" })
    refuse("Another question waits.", "prompt_changed")
    const changed = { status: 409, body: { reason: "PROMPT_CHANGED" } }
    expect(await first).toMatchObject(changed)
    mine.peer.report([asking("p2")])
    await until("the next prompt is known", async () => (await shown(mine)) === "p2")
    expect(await approve(mine, "p1")).toMatchObject(changed)
    const second = approve(mine, "p2")
    const resolved = await mine.peer.nextCommand()
    expect(resolved.payload.promptId).toBe("p2")
    resolved.succeed({})
    expect(await second).toMatchObject({ status: 200, body: { success: true } })
  })
})

describe("a command", () => {
  it("P40, P43: whose connection is lost is answered 503 and never sent again", async () => {
    const { peer, command, connect } = await connected()
    const answer = command("read_chat")
    const { id } = await peer.nextCommand()
    await peer.cut()
    const { status, body } = await answer
    expect([status, body.reason, body.commandId]).toEqual([503, "DAEMON_SOCKET_LOST", id])
    const again = await connect()
    again.send("command_result", { id, success: true })
    await inTurn(again)
    expect(again.frames.filter(({ type }) => type === "command")).toEqual([])
  })

  it("P41: says how long the hub will wait, 60 s at most; its result after that finds nobody", async () => {
    const { peer, command } = await connected()
    const answer = command("read_chat")
    const { deadlineMs, succeed } = await peer.nextCommand()
    expect(deadlineMs).toBeGreaterThan(0)
    expect(deadlineMs).toBeLessThanOrEqual(60_000)
    await hub.advance(61_000)
    expect((await answer).status).toBe(504)
    succeed("too late")
    await inTurn(peer)
  })

  it("P42: waits among 64 of its daemon at most; the next caller is refused with 503", async () => {
    const { peer, command } = await connected()
    const waiting = Array.from({ length: 64 }, () => command("read_chat"))
    await until("all of them", () => peer.frames.filter(({ type }) => type === "command").length === 64)
    const { status, body } = await command("read_chat")
    expect([status, body.reason]).toEqual([503, "OVERLOADED"])
    peer.answerWith(() => "done")
    expect((await Promise.all(waiting)).every((one) => one.status === 200)).toBe(true)
    expect((await command("read_chat")).status).toBe(200)
  })

  it("P44: of a shortcut on a target carries the session's id beside its payload", async () => {
    const { peer, post, command, daemonId } = await connected()
    for (const target of [`${daemonId}:session:s1`, `${daemonId}:acp:agent-a`]) {
      const answer = post(`/api/v1/shortcuts/${target}/approve`, { action: "approve" })
      const sent = await peer.nextCommand()
      expect(sent).toMatchObject({ type: "resolve_action", targetSessionId: "s1", payload: { action: "approve" } })
      sent.succeed()
      await answer
    }
    const answer = command("read_chat")
    const sent = await peer.nextCommand()
    expect(sent).not.toHaveProperty("targetSessionId")
    sent.succeed()
    await answer
  })

  it.each([
    ["message", { message: "hello" }],
    ["input", { input: { parts: [{ type: "text", text: "hello" }], textFallback: "hello" } }]
  ])("P45: of a chat given as %s carries the canonical input", async (_, body) => {
    const { peer, post, daemonId } = await connected()
    const answer = post(`/api/v1/shortcuts/${daemonId}:session:s1/chat`, body)
    const sent = await peer.nextCommand()
    expect(sent.payload.input).toEqual({ parts: [{ type: "text", text: "hello" }], textFallback: "hello" })
    sent.succeed()
    expect((await answer).status).toBe(200)
  })

  it("P46: that the daemon refuses is answered 200 with its sentence and its code", async () => {
    const { peer, command } = await connected()
    const answer = command("screenshot")
    const { id, refuse } = await peer.nextCommand()
    refuse("there is no screen here", "no_screen")
    const { status, body } = await answer
    expect(status).toBe(200)
    expect(body).toEqual({
      success: false,
      error: "there is no screen here",
      daemonCode: "no_screen",
      commandId: id,
      durationMs: expect.any(Number)
    })
  })
})
