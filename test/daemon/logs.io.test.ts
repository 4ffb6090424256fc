/** The logs of sessions and commands, as a hub hears and reads them from a daemon with real agents and shells. */
import { once } from "node:events"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { logGatherMillis } from "../../daemon/limits.ts"
import type { SeenConnection } from "../support/fake-hub.ts"
import { given } from "../support/given.ts"
import { type Rig, startAdmitted } from "../support/reference-daemon.ts"
import { until } from "../support/until.ts"
import type { VirtualClock } from "../support/virtual-clock.ts"

let rig: Rig
let clock: VirtualClock
let hub: SeenConnection

beforeEach(async () => {
  ;({ rig, clock, hub } = await startAdmitted())
})
afterEach(() => rig.close())

type Name = { readonly kind: "session" | "command"; readonly id: string }
type Event = { readonly seq: number; readonly type: string } & Record<string, unknown>
type Told = { log: Name; logId: string | null; lastSeq: number; events: ReadonlyArray<Event> }
type Read = Told & { firstSeq: number; more: boolean }

const session = (id: string): Name => ({ kind: "session", id })
const command = (id: string): Name => ({ kind: "command", id })
const read = async (log: Name, more: object = {}): Promise<Read> =>
  (await hub.ask({ type: "read_log", payload: { log, limit: 1_000, ...more } }))["result"] as Read
const told = (connection = hub): ReadonlyArray<Told> =>
  connection.frames.filter(({ type }) => type === "log_events").map(({ data }) => data as unknown as Told)
const heard = (log: Name): ReadonlyArray<Event> =>
  told().flatMap((frame) => (frame.log.id === log.id ? frame.events : []))
/** Subscribes, and gives where the log stands. */
const listen = async (log: Name, deltas = true, connection = hub): Promise<Told> => {
  const before = told(connection).length
  connection.send("log_subscribe", { log, deltas })
  return await until("the answer", () => told(connection)[before])
}
const launch = async (): Promise<string> => {
  const answer = await hub.ask({ type: "launch_cli", payload: { cliType: "tester" } })
  return (answer["result"] as { sessionId: string }).sessionId
}
const say = (id: string, message: string) => hub.ask({ type: "send_chat", targetSessionId: id, payload: { message } })
const idle = (id: string) =>
  until("the turn is over", async () => {
    const answer = await hub.ask({ type: "read_chat", targetSessionId: id })
    return (answer["result"] as { status: string }).status === "idle"
  })
const plain = (events: ReadonlyArray<Event>) => events.map(({ seq: _, timestamp: __, ...event }) => event)
/** Time passes until the log was told up to something. */
const hears = (log: Name, type: string) =>
  until(`it hears of ${type}`, () => {
    clock.advance(logGatherMillis)
    return heard(log).find((event) => event.type === type)
  })
const allIsHere = async (): Promise<void> => {
  const pong = once(hub.socket, "pong")
  hub.socket.ping()
  await pong
}

describe("the log of a session", () => {
  given(launch)("says what the agent said and did, in its order, and whole messages after their pieces", async (id) => {
    await say(id, "show")
    await idle(id)
    const { events, firstSeq, lastSeq, more } = await read(session(id))
    expect([firstSeq, lastSeq, more]).toEqual([1, events.length, false])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1))
    expect(events.every(({ timestamp }) => timestamp === clock.now())).toBe(true)
    const said = { role: "assistant" }
    expect(plain(events)).toEqual([
      { type: "status", status: "idle" },
      { type: "message", messageId: "msg_1", role: "user", text: "show" },
      { type: "status", status: "generating" },
      { type: "thought_delta", messageId: "tht_1", ...said, delta: "hm" },
      { type: "plan", entries: [{ content: "Look", priority: "high", status: "pending" }] },
      { type: "message_delta", messageId: "msg_2", ...said, delta: "first part" },
      { type: "message", messageId: "msg_2", ...said, text: "first part" },
      {
        type: "tool_call",
        toolCallId: "call_7",
        title: "Read",
        kind: "read",
        status: "pending",
        rawInput: { path: "a" }
      },
      { type: "tool_call_update", toolCallId: "call_7", status: "completed" },
      { type: "usage", used: 10, size: 100 },
      { type: "message_delta", messageId: "msg_4", ...said, delta: "second" },
      { type: "message", messageId: "msg_4", ...said, text: "second" },
      { type: "message_delta", messageId: "msg_5", ...said, delta: "third" },
      { type: "message", messageId: "msg_5", ...said, text: "third" },
      { type: "status", status: "idle" }
    ])
  })

  given(launch)("says what was asked and how it was answered", async (id) => {
    await listen(session(id), false)
    await say(id, "ask")
    const asked = await hears(session(id), "approval_requested")
    expect(asked).toMatchObject({ message: "Remove the build folder", buttons: ["Always", "Once", "No"] })
    const { promptId } = asked
    await hub.ask({ type: "resolve_action", targetSessionId: id, payload: { action: "always", promptId } })
    await idle(id)
    const { events } = await read(session(id), { deltas: false })
    expect(plain(events).slice(3)).toEqual([
      { ...plain([asked as Event])[0] },
      { type: "status", status: "waiting_approval" },
      { type: "approval_resolved", promptId, action: "always" },
      { type: "status", status: "generating" },
      { type: "message", messageId: "msg_2", role: "assistant", text: "answered always" },
      { type: "status", status: "idle" }
    ])
  })

  it.each([
    ["fails", "fail", { type: "error", message: expect.stringContaining("the model is away"), code: "agent_failed" }],
    ["ends the program", "crash", { type: "error", message: expect.stringContaining("code 3"), code: "agent_exited" }]
  ])("says why a turn %s, once", async (_, message, error) => {
    const id = await launch()
    await listen(session(id))
    await say(id, message)
    await hears(session(id), "error")
    await until("the end", async () => {
      const { events } = await read(session(id))
      return events.at(-1)?.["status"] === "error"
    })
    const { events } = await read(session(id))
    expect(plain(events).filter(({ type }) => type === "error")).toEqual([error])
  })

  given(launch)("ends with the session's stop, and is still read afterwards", async (id) => {
    const stopped = hub.ask({ type: "stop_cli", payload: { cliType: "tester" } })
    await until("it is stopped", () => {
      clock.advance(20)
      return hub.frames.some(({ data }) => data["event"] === "agent:stopped")
    })
    await stopped
    const { events } = await read(session(id))
    expect(events.at(-1)).toMatchObject({ type: "status", status: "stopped" })
  })
})

describe("a hub that listens", () => {
  given(launch)("is told at once where the log stands, and then what happens, gathered", async (id) => {
    expect(await listen(session(id))).toMatchObject({ log: session(id), lastSeq: 1, events: [] })
    await say(id, "hello")
    await idle(id)
    await hears(session(id), "message_delta")
    const { events, lastSeq } = await read(session(id))
    await until("all of it", () => {
      clock.advance(logGatherMillis)
      return heard(session(id)).at(-1)?.seq === lastSeq
    })
    expect(heard(session(id))).toEqual(events.slice(1))
    expect(told().length).toBeLessThan(events.length)
  })

  given(launch)("and wants whole messages only is told no pieces, until it asks for them", async (id) => {
    await listen(session(id), false)
    await say(id, "hello")
    await idle(id)
    await hears(session(id), "message")
    await until("the end of the turn", () => {
      clock.advance(logGatherMillis)
      return heard(session(id)).at(-1)?.["status"] === "idle"
    })
    expect(heard(session(id)).some(({ type }) => type.endsWith("_delta"))).toBe(false)
    const stand = await listen(session(id), true)
    expect([stand.events, stand.lastSeq]).toEqual([[], (await read(session(id))).lastSeq])
    await say(id, "again")
    await hears(session(id), "message_delta")
  })

  given(launch)("no more is told nothing, and of a log that there is not, that there is none", async (id) => {
    await listen(session(id))
    hub.send("log_unsubscribe", { log: session(id) })
    await say(id, "hello")
    await idle(id)
    clock.advance(10_000)
    await allIsHere()
    expect(told()).toHaveLength(1)
    const gone = { log: session("ses_no"), logId: null, lastSeq: 0, events: [] }
    expect(await listen(session("ses_no"))).toEqual(gone)
    hub.send("log_subscribe", { log: { kind: "folder", id: "x" }, deltas: true })
    hub.send("log_subscribe", { log: null })
    expect(await hub.ask({ type: "read_log", payload: { log: session("ses_no") } })).toMatchObject({
      success: false,
      code: "log_not_found"
    })
    expect(told()).toHaveLength(2)
  })

  given(launch)("has to ask again after a reconnect, and reads what it missed", async (id) => {
    const { logId, lastSeq } = await listen(session(id))
    await say(id, "hello")
    hub.socket.close(1001)
    const again = await rig.back(2)
    await until("the second admission", () => rig.lines.filter((line) => line.startsWith("connected")).length === 2)
    hub = again
    await idle(id)
    clock.advance(1_000)
    await allIsHere()
    expect(told()).toEqual([])
    const missed = await read(session(id), { after: { logId, seq: lastSeq } })
    expect([missed.logId, missed.events[0]]).toMatchObject([logId, { seq: lastSeq + 1, type: "message" }])
    expect(await listen(session(id))).toMatchObject({ logId, lastSeq: missed.lastSeq })
  })
})

it("the log of a terminal command has its output in pieces while it runs, and how it ended", async () => {
  hub.send("command", {
    id: "cmd_t",
    type: "terminal_exec",
    payload: {
      command: "printf 'a\\303'; echo; printf '\\251'; echo e >&2; until test -e go; do sleep 0.01; done; exit 4"
    },
    deadlineMs: 60_000
  })
  const log = command("cmd_t")
  expect(await listen(log)).toMatchObject({ log, events: [] })
  await until("all output", async () => {
    const texts = (await read(log)).events.map((event) => `${event["stream"]} ${event["text"]}`)
    return texts.some((text) => text.startsWith("stderr")) && texts.some((text) => text.startsWith("stdout"))
  })
  await hub.ask({ type: "terminal_exec", payload: { command: "touch go" } })
  await hears(log, "exit")
  const { events } = await read(log)
  expect(plain(events).at(-1)).toEqual({ type: "exit", exitCode: 4 })
  const out = events.filter((event) => event["stream"] === "stdout").map((event) => event["text"])
  expect(out.join("")).toBe("a\uFFFD\n\uFFFD")
  expect(await hub.saw("command_result", ({ id }) => id === "cmd_t")).toMatchObject({ result: { exitCode: 4 } })
})
