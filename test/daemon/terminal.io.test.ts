/** Terminal commands, really run. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { outputBytesMax, outputDrainMillis, terminalsMax } from "../../daemon/limits.ts"
import { admission, type SeenConnection } from "../support/fake-hub.ts"
import { isAlive, type Rig, startAdmitted, startRig } from "../support/reference-daemon.ts"
import { until } from "../support/until.ts"
import type { VirtualClock } from "../support/virtual-clock.ts"

let rig: Rig
let clock: VirtualClock
let hub: SeenConnection
let base: string

beforeEach(async () => {
  ;({ rig, clock, hub, base } = await startAdmitted())
})
afterEach(() => rig.close())

const exec = (command: string, more: Record<string, unknown> = {}, deadlineMs = 60_000) =>
  hub.ask({ type: "terminal_exec", payload: { command, ...more }, deadlineMs })

describe("terminal_exec", () => {
  it("answers with exit code, both streams, duration and whether anything was cut", async () => {
    expect(await exec("echo out; echo err >&2; exit 3")).toMatchObject({
      success: true,
      result: { exitCode: 3, stdout: "out\n", stderr: "err\n", durationMs: 0, truncated: false }
    })
  })

  it("runs without the hub's own names in its environment", async () => {
    process.env["HUB_TOKEN"] = "hubd_secret"
    try {
      const { stdout } = (await exec("env"))["result"] as { stdout: string }
      expect(stdout).toContain("PATH=")
      expect(stdout).not.toMatch(/^HUB_/mu)
    } finally {
      delete process.env["HUB_TOKEN"]
    }
  })

  it("runs in the daemon's folder, in a folder below it, or in an absolute one", async () => {
    await exec("mkdir inner")
    const where = async (more: Record<string, unknown>) =>
      ((await exec("pwd", more))["result"] as { stdout: string }).stdout.trim()
    expect([await where({}), await where({ cwd: "inner" }), await where({ cwd: "/" })]).toEqual([
      base,
      join(base, "inner"),
      "/"
    ])
  })

  it("refuses a folder that is not there and a command that is blank or no text", async () => {
    expect(await exec("pwd", { cwd: "nowhere" })).toMatchObject({ success: false, code: "no_such_folder" })
    expect(await exec("  ")).toMatchObject({ success: false, code: "invalid_payload" })
    expect(await hub.ask({ type: "terminal_exec", payload: { command: 7 } })).toMatchObject({
      success: false,
      error: "`command` must be text"
    })
  })

  it("keeps beginning and end of each stream, says how much lies between, and lets the program finish", async () => {
    const answer = await exec("echo first; head -c 600000 /dev/zero | tr '\\0' x; echo last; echo done >&2")
    const result = answer["result"] as { stdout: string; stderr: string; truncated: boolean; exitCode: number }
    expect([result.stderr, result.truncated, result.exitCode]).toEqual(["done\n", true, 0])
    const [, head, omitted, tail] = /^(first\nx+)\n\[(\d+) bytes are left out here\]\n(x+last\n)$/u.exec(result.stdout)!
    expect(head!.length + Number(omitted) + tail!.length).toBe(600_011)
    expect(result.stdout.length).toBeLessThanOrEqual(outputBytesMax)
  })

  it("that runs longer than the hub waits is ended with everything it started, and refused", async () => {
    const answer = exec("sleep 1000 & echo $! > pid; wait", {}, 5_000)
    const pid = await until("the child", () => Number(readFileSync(join(base, "pid"), "utf8")) || undefined)
    clock.advance(1_999)
    expect(isAlive(pid)).toBe(true)
    clock.advance(1)
    expect(await answer).toMatchObject({ success: false, code: "terminal_timeout" })
    await until("no orphan", () => !isAlive(pid))
  })

  /** One that the caller gives 3 s, and for which the hub waits longer. */
  const given3s = async (command: string) => {
    const id = `cmd_given3s_${command.length}`
    hub.send("command", { id, type: "terminal_exec", payload: { command }, deadlineMs: 3_000, waitMs: 7_000 })
    const answer = hub.saw("command_result", (data) => data["id"] === id)
    const pid = await until("it runs", () => Number(readFileSync(join(base, "pid"), "utf8")) || undefined)
    return { id, answer, pid }
  }

  it("whose time is over is asked to end, and says with the refusal what it printed until then and meanwhile", async () => {
    const { answer, pid } = await given3s(
      "trap 'echo two; exit 7' TERM; echo one; echo no >&2; echo $$ > pid; while :; do sleep 0.02; done"
    )
    clock.advance(2_999)
    expect(isAlive(pid)).toBe(true)
    clock.advance(1)
    expect(await answer).toMatchObject({
      success: false,
      code: "terminal_timeout",
      error: "the command ran longer than 3 s and was ended",
      result: { exitCode: 7, stdout: "one\ntwo\n", stderr: expect.stringMatching(/^no\n/u), truncated: false }
    })
  })

  it("that does not end when it is asked is killed 2 s later, and what the shell began may clean up until then", async () => {
    const { id, answer, pid } = await given3s(
      "sh -c \"trap 'sleep 0.1; echo cleaned' TERM; echo \\$\\$ > pid; while :; do sleep 0.02; done\" & wait"
    )
    clock.advance(3_000)
    const log = () => hub.ask({ type: "read_log", payload: { log: { kind: "command", id } } })
    await until("it cleans up", async () => JSON.stringify(await log()).includes("cleaned"))
    expect(isAlive(pid)).toBe(true)
    let refused: Record<string, unknown> | undefined
    void answer.then((given) => {
      refused = given
    })
    await until("it is killed", () => {
      clock.advance(20)
      return refused
    })
    expect(refused).toMatchObject({ code: "terminal_timeout", result: { stdout: "cleaned\n" } })
    await until("no orphan", () => !isAlive(pid))
  })

  it("leaves nothing behind that the shell has put in the background", async () => {
    const answer = await exec("sleep 1000 & echo $!")
    const pid = Number((answer["result"] as { stdout: string }).stdout)
    expect(pid).toBeGreaterThan(1)
    await until("no orphan", () => !isAlive(pid))
  })

  it("is answered although what moved to a session of its own holds its output", async () => {
    const id = "cmd_left"
    const left = "setsid sh -c 'echo $$ > pid; sleep 1000' &"
    const command = `${left} until test -s pid; do sleep 0.01; done; echo out`
    hub.send("command", { id, type: "terminal_exec", payload: { command }, deadlineMs: 60_000 })
    const pid = await until("the child", () => Number(readFileSync(join(base, "pid"), "utf8")) || undefined)
    try {
      await until("the end of the shell", () => clock.waits().includes(outputDrainMillis))
      const log = () => hub.ask({ type: "read_log", payload: { log: { kind: "command", id } } })
      await until("its output is read", async () => JSON.stringify(await log()).includes("stdout"))
      clock.advance(outputDrainMillis)
      const answer = await hub.saw("command_result", (data) => data["id"] === id)
      expect(answer).toMatchObject({ success: true, result: { exitCode: 0, stdout: "out\n" } })
      expect(isAlive(pid)).toBe(true)
    } finally {
      process.kill(-pid, "SIGKILL")
    }
  })

  it("is refused when too many run already, and runs again afterwards", async () => {
    const running = Array.from({ length: terminalsMax }, (_, at) => exec(`touch up${at}; sleep 1000`))
    expect(await exec("true")).toMatchObject({ success: false, code: "busy" })
    clock.advance(60_000)
    expect((await Promise.all(running)).every(({ code }) => code === "terminal_timeout")).toBe(true)
    expect(await exec("true")).toMatchObject({ success: true })
  })
})

describe("a command", () => {
  it("whose id was seen before is not run twice, not even after a reconnect", async () => {
    const command = {
      id: "cmd_same",
      type: "terminal_exec",
      payload: { command: "echo x >> twice" },
      deadlineMs: 9_000
    }
    hub.send("command", command)
    hub.send("command", command)
    await hub.saw("command_result", ({ id }) => id === "cmd_same")
    hub.socket.close(1001)
    const again = await rig.back(2)
    again.send("command", command)
    expect(await again.ask({ type: "terminal_exec", payload: { command: "cat twice" } })).toMatchObject({
      result: { stdout: "x\n" }
    })
    expect(hub.frames.filter(({ type }) => type === "command_result")).toHaveLength(1)
    expect(again.frames.filter(({ type }) => type === "command_result")).toHaveLength(1)
  })

  it("that was asked on a connection now lost is answered to nobody", async () => {
    hub.send("command", {
      id: "cmd_lost",
      type: "terminal_exec",
      payload: { command: "until test -e go; do sleep 0.01; done" },
      deadlineMs: 60_000
    })
    hub.socket.close(1001)
    const again = await rig.back(2)
    await again.ask({ type: "terminal_exec", payload: { command: "touch go" } })
    await until("the drop", () => rig.lines.some((line) => line.startsWith("the hub that asked is gone")))
    expect(again.frames.some(({ data }) => data["id"] === "cmd_lost")).toBe(false)
  })

  it.each(["launch_ide", "stop_ide", "screenshot"])("%s is refused in words: there is no IDE here", async (type) =>
    expect(await hub.ask({ type })).toMatchObject({ success: false, code: "no_ide", error: "this daemon runs no IDE" })
  )

  it("that comes while its daemon ends is refused, and starts nothing that would outlive it", async () => {
    const payload = { command: "trap '' TERM; touch up; while :; do sleep 0.02; done" }
    hub.send("command", { id: "deaf", type: "terminal_exec", payload, deadlineMs: 60_000 })
    await until("it runs", () => existsSync(join(base, "up")))
    void rig.daemon.stop()
    expect(await exec("sleep 1000")).toMatchObject({ success: false, code: "stopping" })
  })

  it("of a type the daemon lacks is refused in words", async () => {
    expect(await hub.ask({ type: "toString" })).toMatchObject({
      success: false,
      code: "unknown_command",
      error: "this daemon has no command toString"
    })
  })

  it("whose result is larger than the hub takes is refused with both sizes", async () => {
    await rig.close()
    rig = await startRig({ clock, base, admit: () => ({ ...admission, limits: { resultBytes: 1_000 } }) })
    hub = await rig.hub.connection(1)
    await until("the admission", () => rig.lines.some((line) => line.startsWith("connected")))
    expect(await exec("head -c 2000 /dev/zero | tr '\\0' x")).toMatchObject({
      success: false,
      code: "result_too_large"
    })
  })
})
