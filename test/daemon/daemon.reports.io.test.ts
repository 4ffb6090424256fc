/** What the daemon tells on its own: reports of what changed, and events until they are acknowledged. */
import { once } from "node:events"
import { afterEach, describe, expect, it } from "vitest"
import type { SeenConnection } from "../support/fake-hub.ts"
import { given } from "../support/given.ts"
import { type Rig, startAdmitted, testProvider } from "../support/reference-daemon.ts"
import { until } from "../support/until.ts"
import type { VirtualClock } from "../support/virtual-clock.ts"

let rig: Rig
afterEach(() => rig.close())

const started = async (type = "tester") => {
  const { clock, hub, ...more } = await startAdmitted({ providers: () => [testProvider(type)] })
  rig = more.rig
  clock.advance(2_000)
  await hub.saw("status_report")
  const answer = await hub.ask({ type: "launch_cli", payload: { cliType: type } })
  return { clock, hub, id: (answer["result"] as { sessionId: string }).sessionId }
}

const session = (data: Record<string, unknown>) => (data["sessions"] as ReadonlyArray<Record<string, unknown>>)[0]

/** Reports until one shows the status. */
const reported = (clock: VirtualClock, hub: SeenConnection, status: string) =>
  until(`a report of ${status}`, () => {
    clock.advance(500)
    return hub.frames
      .filter(({ type }) => type === "status_report")
      .map(({ data }) => session(data))
      .find((one) => one?.["status"] === status)
  })

describe("a report", () => {
  it.each([
    ["tester", "acp"],
    ["cli-tester", "pty"]
  ])("names a session of %s with transport %s, its workspace and its status as it changes", async (type, transport) => {
    const { clock, hub, id } = await started(type)
    expect(await reported(clock, hub, "idle")).toMatchObject({
      id,
      kind: "agent",
      transport,
      providerType: type,
      providerName: "Test agent",
      providerSessionId: "test-1",
      surfaceHidden: false,
      muted: false
    })
    await hub.ask({ type: "send_chat", payload: { message: "ask" } })
    expect(await reported(clock, hub, "waiting_approval")).toMatchObject({
      activeModal: { message: "Remove the build folder", buttons: ["Always", "Once", "No"] }
    })
  })

  given(started)("of a change goes out before the answer of the command that made it", async ({ hub }) => {
    const types = hub.frames.map(({ type }) => type)
    expect(types.slice(-2)).toEqual(["status_report", "command_result"])
    await hub.ask({ type: "send_chat", payload: { message: "hang" } })
    const last = hub.frames.filter(({ type }) => type === "status_report").at(-1)
    expect(session(last!.data)?.["status"]).toBe("generating")
  })

  it("of a prompt goes out before the event that names it, also when one prompt follows another", async () => {
    const { hub } = await started()
    await hub.ask({ type: "send_chat", payload: { message: "ask twice" } })
    const asked = ({ event }: Record<string, unknown>) => event === "agent:waiting_approval"
    const { promptId: first } = await hub.saw("status_event", asked)
    await hub.ask({ type: "resolve_action", payload: { action: "approve", promptId: first } })
    const { promptId: second } = await hub.saw("status_event", (data) => asked(data) && data["promptId"] !== first)
    for (const promptId of [first, second]) {
      const at = hub.frames.findIndex(({ data }) => data["promptId"] === promptId)
      const report = hub.frames.slice(0, at).findLast(({ type }) => type === "status_report")
      expect(session(report!.data)).toMatchObject({ status: "waiting_approval", activeModal: { promptId } })
    }
  })

  it("of a prompt goes out before its event too where it was asked while there was no connection", async () => {
    const { hub } = await started()
    hub.send("command", { id: "c", type: "send_chat", payload: { message: "ask" }, deadlineMs: 9_000 })
    hub.socket.close(1001)
    await until("it is asked", () => rig.lines.some((line) => line.includes("agent:waiting_approval")))
    const second = await rig.back(2)
    const { promptId } = await second.saw("status_event", ({ event }) => event === "agent:waiting_approval")
    const first = second.frames.find(({ type }) => type === "status_report" || type === "status_event")
    expect(session(first!.data)).toMatchObject({ status: "waiting_approval", activeModal: { promptId } })
  })

  it("of a prompt goes out before its event again where a connection ended on which both were sent", async () => {
    const { hub } = await started()
    await hub.ask({ type: "send_chat", payload: { message: "ask" } })
    const { promptId } = await hub.saw("status_event", ({ event }) => event === "agent:waiting_approval")
    hub.socket.close(1001)
    const second = await rig.back(2)
    await second.saw("status_event", (data) => data["promptId"] === promptId)
    const first = second.frames.find(({ type }) => type === "status_report" || type === "status_event")
    expect(session(first!.data)).toMatchObject({ status: "waiting_approval", activeModal: { promptId } })
  })

  it("of another change follows within half a second, and one without a change as often as the hub asks", async () => {
    const { clock, hub } = await started()
    const reports = () => hub.frames.filter(({ type }) => type === "status_report").length
    const allIsHere = async (): Promise<void> => {
      const pong = once(hub.socket, "pong")
      hub.socket.ping()
      await pong
    }
    await hub.ask({ type: "send_chat", payload: { message: "hello" } })
    await hub.saw("status_event", ({ event }) => event === "agent:generating_completed")
    const before = reports()
    for (const [millis, more] of [
      [499, 0],
      [1, 1],
      [29_999, 1],
      [1, 2]
    ] as const) {
      clock.advance(millis)
      await allIsHere()
      expect(reports() - before).toBe(more)
    }
  })

  given(started)("of a change after a quiet time follows within 20 ms", async ({ clock, hub }) => {
    const answer = await hub.ask({ type: "chat_debug_bundle" })
    const { pid } = (answer["result"] as { bundle: { process: { pid: number } } }).bundle.process
    clock.advance(10_000)
    const reports = () => hub.frames.filter(({ type }) => type === "status_report")
    const before = reports().length
    process.kill(pid, "SIGKILL")
    await hub.saw("status_event", ({ event }) => event === "agent:stopped")
    clock.advance(19)
    expect(reports()).toHaveLength(before)
    clock.advance(1)
    await until("the report", () => session(reports().at(-1)!.data)?.["status"] === "error")
  })

  given(started)("is gone from once the session is stopped", async ({ clock, hub }) => {
    await reported(clock, hub, "idle")
    hub.send("command", { id: "c", type: "stop_cli", payload: { cliType: "tester" }, deadlineMs: 9_000 })
    await until("an empty report", () => {
      clock.advance(100)
      const last = hub.frames.filter(({ type }) => type === "status_report").at(-1)
      return session(last!.data) === undefined
    })
  })
})

describe("an event", () => {
  given(started)("is sent again after a reconnect under the same id until it is acknowledged", async ({ hub }) => {
    await hub.ask({ type: "send_chat", payload: { message: "hello" } })
    const begun = await hub.saw("status_event", ({ event }) => event === "agent:generating_started")
    const ended = await hub.saw("status_event", ({ event }) => event === "agent:generating_completed")
    hub.send("event_ack", { ids: [begun["id"]] })
    await hub.ask({ type: "read_chat" })
    const reconnected = async (number: number) => {
      rig.hub.connections.at(-1)!.socket.close(1001)
      return await rig.back(number)
    }
    const second = await reconnected(2)
    expect(await second.saw("status_event")).toEqual(ended)
    second.send("event_ack", { ids: [ended["id"]] })
    await second.ask({ type: "read_chat" })
    const third = await reconnected(3)
    await third.ask({ type: "read_chat" })
    expect(third.frames.some(({ type }) => type === "status_event")).toBe(false)
  })

  it("tells of an agent without a sign of life for two minutes in its turn, and again after as long", async () => {
    const { clock, hub, id } = await started()
    await hub.ask({ type: "send_chat", payload: { message: "hang" } })
    clock.advance(119_999)
    await hub.ask({ type: "read_chat" })
    expect(hub.frames.some(({ data }) => data["event"] === "monitor:no_progress")).toBe(false)
    clock.advance(1)
    expect(await hub.saw("status_event", ({ event }) => event === "monitor:no_progress")).toMatchObject({
      targetSessionId: id,
      elapsedSec: 120
    })
    clock.advance(120_000)
    await hub.saw("status_event", ({ elapsedSec }) => elapsedSec === 240)
  })

  given(started)("tells of no stall while a person is waited for", async ({ clock, hub }) => {
    await hub.ask({ type: "send_chat", payload: { message: "ask" } })
    await hub.saw("status_event", ({ event }) => event === "agent:waiting_approval")
    clock.advance(600_000)
    await hub.ask({ type: "read_chat" })
    expect(hub.frames.some(({ data }) => data["event"] === "monitor:no_progress")).toBe(false)
  })
})
