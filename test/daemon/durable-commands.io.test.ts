/** Durable commands and cancelling, with real shells and agents. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { SeenConnection } from "../support/fake-hub.ts"
import { isAlive, type Rig, startAdmitted, testProvider } from "../support/reference-daemon.ts"
import { until } from "../support/until.ts"
import type { VirtualClock } from "../support/virtual-clock.ts"

let rig: Rig
let clock: VirtualClock
let hub: SeenConnection
let base: string

beforeEach(async () => {
  const providers = (folder: string) => [testProvider(), testProvider("mute", "--mute", join(folder, "mute"))]
  ;({ rig, clock, hub, base } = await startAdmitted({ providers }))
})
afterEach(() => rig.close())

const exec = (id: string, command: string, more: object = {}): void =>
  hub.send("command", {
    id,
    type: "terminal_exec",
    payload: { command },
    deadlineMs: 3_600_000,
    durable: true,
    ...more
  })
const ask = (command: string) => hub.ask({ type: "terminal_exec", payload: { command } })
const answer = (id: string, connection = hub) => connection.saw("command_result", (data) => data["id"] === id)
const answers = (id: string, connection = hub) =>
  connection.frames.filter(({ type, data }) => type === "command_result" && data["id"] === id)
let admissions = 1
const reconnected = async (): Promise<void> => {
  rig.hub.connections.at(-1)!.socket.close(1001)
  hub = await rig.back(rig.hub.connections.length + 1)
  admissions = rig.hub.connections.length
  await until("the admission", () => rig.lines.filter((line) => line.startsWith("connected")).length >= admissions)
}
const named = async () => (await hub.saw("auth"))["commands"]
const waits = "until test -e go; do sleep 0.01; done"

it("a daemon names what it can, and the durable commands that it still has", async () => {
  expect(await hub.saw("auth")).toMatchObject({
    capabilities: ["session_log", "durable_commands", "command_cancel", "policies"],
    commands: []
  })
})

describe("a durable command", () => {
  it("goes on when the connection is lost; its result is sent on each one until it is acknowledged", async () => {
    exec("d1", `echo x >> runs; ${waits}; echo done`)
    await until("it runs", () => readFileSync(join(base, "runs"), "utf8"))
    await reconnected()
    expect(await named()).toEqual(["d1"])
    exec("d1", "echo twice >> runs")
    await ask("touch go")
    const result = await answer("d1")
    expect(result).toMatchObject({ success: true, result: { stdout: "done\n" } })
    await reconnected()
    expect([await named(), await answer("d1")]).toEqual([["d1"], result])
    hub.send("result_ack", { ids: ["d1", 7, "unknown"] })
    await ask("true")
    await reconnected()
    expect(await named()).toEqual([])
    await ask("true")
    expect(answers("d1")).toEqual([])
    exec("d1", "echo thrice >> runs")
    expect((await ask("cat runs"))["result"]).toMatchObject({ stdout: "x\n" })
    await reconnected()
    expect(await named()).toEqual([])
  })

  it("may run an hour, and is ended with everything it started at its deadline", async () => {
    exec("d1", "sleep 9000 & echo $! > pid; wait")
    const pid = await until("the child", () => Number(readFileSync(join(base, "pid"), "utf8")) || undefined)
    clock.advance(3_599_999)
    expect(isAlive(pid)).toBe(true)
    clock.advance(1)
    expect(await answer("d1")).toMatchObject({ success: false, code: "terminal_timeout" })
    await until("no orphan", () => !isAlive(pid))
  })

  it("does not keep the daemon from leaving at its slot", async () => {
    exec("d1", waits)
    await until("it runs", async () => (await ask("true"))["success"])
    hub.send("reconnect", { afterMs: 1_000 })
    await until("it has read that", () => rig.lines.some((line) => line.startsWith("the hub restarts")))
    const { socket } = hub
    clock.advance(1_000)
    await until("it leaves", () => socket.readyState === socket.CLOSED)
    hub = await rig.back(2)
    expect(await named()).toEqual(["d1"])
  })
})

describe("command_cancel", () => {
  it.each([true, false])("ends a terminal command with everything it started (durable: %s)", async (durable) => {
    exec("c1", "sleep 9000 & echo $! > pid; wait", { durable })
    const pid = await until("the child", () => Number(readFileSync(join(base, "pid"), "utf8")) || undefined)
    hub.send("command_cancel", { id: "c1" })
    expect(await answer("c1")).toMatchObject({ id: "c1", success: false, code: "cancelled" })
    await until("no orphan", () => !isAlive(pid))
    expect(await hub.ask({ type: "read_log", payload: { log: { kind: "command", id: "c1" } } })).toMatchObject({
      result: { events: [{ type: "exit", exitCode: null, signal: "SIGTERM" }] }
    })
  })

  it("kills what does not end when asked", async () => {
    exec("c1", "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done")
    const pid = await until("the shell", () => Number(readFileSync(join(base, "pid"), "utf8")) || undefined)
    hub.send("command_cancel", { id: "c1" })
    await until("it is ended", () => {
      clock.advance(20)
      return !isAlive(pid)
    })
    expect(await answer("c1")).toMatchObject({ code: "cancelled" })
  })

  it("ends what a launch has started", async () => {
    hub.send("command", { id: "l1", type: "launch_cli", payload: { cliType: "mute" }, deadlineMs: 60_000 })
    const pid = await until("it runs", () => Number(readFileSync(join(base, "mute"), "utf8")) || undefined)
    hub.send("command_cancel", { id: "l1" })
    await until("it is ended", () => {
      clock.advance(20)
      return answers("l1").length === 1
    })
    expect(await answer("l1")).toMatchObject({ success: false, code: "cancelled" })
    await until("no orphan", () => !isAlive(pid))
  })

  it("gives up the turn that a chat message began, with the question it waits on", async () => {
    await hub.ask({ type: "launch_cli", payload: { cliType: "tester" } })
    const status = async () => ((await hub.ask({ type: "read_chat" }))["result"] as { status: string }).status
    for (const [id, message, reached] of [
      ["t1", "hang", "generating"],
      ["t2", "ask", "waiting_approval"]
    ] as const) {
      hub.send("command", { id, type: "send_chat", payload: { message }, deadlineMs: 60_000 })
      await until(`it is ${reached}`, async () => (await status()) === reached)
      hub.send("command_cancel", { id: "another" })
      expect(await status()).toBe(reached)
      hub.send("command_cancel", { id })
      await until("it is idle", async () => (await status()) === "idle")
      expect(answers(id)).toHaveLength(1)
    }
  })

  it("of what is not there is ignored", async () => {
    hub.send("command_cancel", { id: "unknown" })
    hub.send("command_cancel", {})
    expect(await ask("true")).toMatchObject({ success: true })
    expect(answers("unknown")).toEqual([])
  })
})
