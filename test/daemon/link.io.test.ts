/** The daemon's connection: what it says when, and when it comes back. Time stands still but for the test. */
import { once } from "node:events"
import { afterEach, describe, expect, it } from "vitest"
import { wakeAnswerMillis, wakeLookMillis } from "../../daemon/limits.ts"
import { admission } from "../support/fake-hub.ts"
import { type Rig, startRig } from "../support/reference-daemon.ts"
import { until } from "../support/until.ts"
import { virtualClock } from "../support/virtual-clock.ts"

let rig: Rig | undefined
afterEach(async () => {
  await rig?.close()
  rig = undefined
})

/** A daemon that is connected; its chance is always that. */
const connected = async (chance: number, more: object = {}) => {
  const clock = virtualClock(chance)
  rig = await startRig({ clock, admit: () => ({ ...admission, ...more }) })
  const connection = await rig!.hub.connection(1)
  await admitted(1)
  return { clock, ...connection }
}
const says = (words: string) => rig!.lines.some((line) => line.includes(words))

const admitted = (count: number) =>
  until(`${count} admissions`, () => rig!.lines.filter((line) => line.startsWith("connected")).length >= count)

describe("a daemon that connects", () => {
  it("authenticates with its first frame", async () => {
    rig = await startRig({ clock: virtualClock() })
    const connection = await rig!.hub.connection(1)
    const auth = await connection.saw("auth")
    expect(connection.frames[0]?.type).toBe("auth")
    expect(connection.authorization).toBe("Bearer the-token")
    expect(auth["token"]).toBeUndefined()
    expect(auth).toMatchObject({ protocol: 1, platform: process.platform, nickname: "Nick" })
    expect(auth["availableProviders"]).toContainEqual({ type: "tester", category: "acp", displayName: "Test agent" })
    expect(typeof auth["instanceId"]).toBe("string")
  })

  it("reports 2 s after auth_ok, and then as often as the hub asks", async () => {
    const { clock, frames, saw } = await connected(0.5, { reportMs: 7_000 })
    clock.advance(1_999)
    clock.advance(1)
    const first = await saw("status_report")
    expect(first["sessions"]).toEqual([])
    const stamp = first["timestamp"] as number
    clock.advance(7_000)
    const second = await saw("status_report", (data) => data["timestamp"] !== stamp)
    expect((second["timestamp"] as number) - stamp).toBe(7_000)
    expect(frames.filter(({ type }) => type === "status_report")).toHaveLength(2)
  })

  it("gives up a hub that has not admitted it after 15 s, and tries again", async () => {
    const clock = virtualClock(0)
    rig = await startRig({ clock, admit: null })
    await (await rig!.hub.connection(1)).saw("auth")
    clock.advance(15_000)
    await rig!.back(2)
    expect(says("not admitted in time")).toBe(true)
  })

  it("gives up a hub that has been silent for three heartbeats, and tries again", async () => {
    const { clock } = await connected(0, { heartbeatMs: 10_000 })
    clock.advance(29_999)
    expect(says("the hub is silent")).toBe(false)
    clock.advance(1)
    expect(says("the hub is silent")).toBe(true)
    await rig!.back(2)
  })

  it("counts a ping of the hub as a sign of life", async () => {
    const { clock, socket } = await connected(0, { heartbeatMs: 10_000 })
    clock.advance(20_000)
    let pongs = 0
    socket.on("pong", () => pongs++)
    socket.ping()
    await until("the pong", () => pongs > 0)
    clock.advance(20_000)
    expect(says("the hub is silent")).toBe(false)
  })
})

describe("a daemon whose connection ends", () => {
  it.each([4401, 4403, 4409])("stays away after %i and says why", async (code) => {
    const clock = virtualClock(0)
    rig = await startRig({ clock })
    const { socket } = await rig!.hub.connection(1)
    socket.close(code, "no")
    await until("the refusal", () => rig!.refusals.length === 1)
    clock.advance(3_600_000)
    expect([rig!.hub.connections.length, clock.waits()]).toEqual([1, []])
  })

  it.each([
    ...[1000, 1001, 1012, 4400, 4404, 4408, 4413, 4429, 4500].map((code) => [code, "bye", 250] as const),
    // as long as a crowded hub asks, or one that has disabled its account, at least
    ...[4503, 4423].map((code) => [code, '{"afterMs":4000}', 4_000] as const)
  ])("comes back after %i %s, in %i ms", async (code, reason, millis) => {
    const { clock, socket } = await connected(0.25)
    socket.close(code, reason)
    await until("the wait", () => says(`"againInMs":${millis}`))
    expect(rig!.hub.connections).toHaveLength(1)
    clock.advance(millis)
    await rig!.hub.connection(2)
    expect(rig!.refusals).toEqual([])
  })

  it("closes at the slot that the hub gave it, and is back at once", async () => {
    const { clock, socket, send } = await connected(0.9)
    const closed = once(socket, "close")
    send("reconnect", { afterMs: 3_000 })
    await until("it has read that", () => says("the hub restarts"))
    clock.advance(2_999)
    expect(socket.readyState).toBe(socket.OPEN)
    clock.advance(1)
    expect((await closed)[0]).toBe(1012)
    await until("the end", () => says('"againInMs":0'))
    clock.advance(0)
    await rig!.hub.connection(2)
  })

  it("keeps away until its slot when the hub closes before it", async () => {
    const { clock, socket, send } = await connected(0)
    send("reconnect", { afterMs: 3_000 })
    socket.close(1012)
    await until("the wait", () => says('"code":1012,"reason":"","againInMs":3000'))
    clock.advance(3_000)
    await rig!.hub.connection(2)
  })

  it.each([
    { afterMs: 3_000, back: 250 },
    { afterMs: 100, back: 100 }
  ])("lost by accident before its slot, comes back by the backoff and no later than at the slot: %o", async (given) => {
    const { clock, socket, send } = await connected(0.25)
    send("reconnect", { afterMs: given.afterMs })
    await until("it has read that", () => says("the hub restarts"))
    socket.terminate()
    const wait = `"againInMs":${given.back}`
    await until("the wait", () =>
      rig!.lines.some((line) => line.includes(wait) && !line.startsWith("the hub restarts"))
    )
    clock.advance(given.back)
    await rig!.hub.connection(2)
  })

  it("keeps away as long as its hub asks, also where its slot is sooner", async () => {
    const { socket, send } = await connected(0)
    send("reconnect", { afterMs: 1_000 })
    socket.close(4423, '{"afterMs":60000}')
    await until("the wait", () => says('"againInMs":60000'))
  })

  it("busy at its slot, leaves the closing to the hub, and after 30 s does it itself", async () => {
    const { clock, socket, send } = await connected(0)
    const closed = once(socket, "close")
    send("command", { id: "c1", type: "terminal_exec", payload: { command: "sleep 600" }, deadlineMs: 600_000 })
    send("reconnect", { afterMs: 1_000 })
    await until("it has read that", () => says("the hub restarts"))
    clock.advance(1_000)
    clock.advance(29_999)
    expect(socket.readyState).toBe(socket.OPEN)
    clock.advance(1)
    expect((await closed)[0]).toBe(1012)
  })

  it.each([
    [401, "AUTH_INVALID"],
    [403, "TOKEN_REVOKED"]
  ])("stays away after an upgrade that the hub answers with %i %s, and says why", async (status, reason) => {
    const { clock, socket } = await connected(0)
    rig!.hub.refuseNext(status, reason)
    socket.close(1001)
    await until("the refusal", () => {
      clock.advance(10)
      return rig!.refusals.length === 1
    })
    clock.advance(3_600_000)
    expect(rig!.hub.connections).toHaveLength(1)
  })

  it.each([
    [401, "", {}, 250],
    [308, "", { location: "https://hub.example/api/v1/daemons/connect" }, 250],
    [403, "of a proxy", {}, 250],
    [403, "ACCOUNT_DISABLED", { "retry-after": "61", "retry-after-ms": "60001" }, 60_001],
    [503, "OVERLOADED", { "retry-after": "7" }, 7_000],
    [503, "OVERLOADED", { "retry-after": "7", "retry-after-ms": "6123" }, 6_123]
  ])("comes back after %i %s with %o, after %i ms at least", async (status, reason, headers, millis) => {
    const { clock, socket } = await connected(0.25)
    rig!.hub.refuseNext(status, reason, headers)
    socket.close(1001)
    const wait = (): RegExpExecArray | null | undefined =>
      /"againInMs":(\d+)/u.exec(rig!.lines.findLast((line) => line.includes("againInMs")) ?? "")
    await until("the first wait", () => wait()?.[1] === "250")
    clock.advance(250)
    await until("the refusal", () => rig!.lines.some((line) => line.includes(`${status}`)))
    await until("the second wait", () => Number(wait()?.[1]) === (millis === 250 ? 500 : millis))
    clock.advance(millis === 250 ? 500 : millis)
    await rig!.hub.connection(2)
    expect(rig!.refusals).toEqual([])
  })

  it("is told where a redirect leads, which it does not follow", async () => {
    const { clock, socket } = await connected(0)
    rig!.hub.refuseNext(308, "", { location: "https://hub.example/api/v1/daemons/connect" })
    socket.close(1001)
    await rig!.back(2)
    expect(says("answers 308 to https://hub.example: use that address")).toBe(true)
    expect(clock.waits()).not.toEqual([])
  })

  it("says one line of a try that came to nothing, and why", async () => {
    const { socket } = await connected(0)
    rig!.hub.refuseNext(502, "", { "content-type": "text/html" })
    socket.close(1001)
    await rig!.back(2)
    const from = rig!.lines.findLastIndex((line) => line.startsWith("disconnected"))
    expect(rig!.lines.slice(from + 1, from + 4).map((line) => line.split(" {")[0])).toEqual([
      "connecting",
      "connection failed",
      "connecting"
    ])
  })

  it("waits longer with each connection that did not last, and begins anew after one that did", async () => {
    const clock = virtualClock(0.5)
    rig = await startRig({ clock })
    const waits: Array<number> = []
    for (const lasted of [0, 0, 0, 10_000, 0]) {
      const { socket } = await rig!.hub.connection(waits.length + 1)
      await admitted(waits.length + 1)
      clock.advance(lasted)
      socket.close(1001)
      const spoken = (): ReadonlyArray<string> => rig!.lines.filter((line) => line.startsWith("disconnected"))
      await until("the wait", () => spoken().length > waits.length)
      waits.push(Number(/"againInMs":(\d+)/u.exec(spoken().at(-1)!)?.[1]))
      clock.advance(waits.at(-1)!)
    }
    expect(waits).toEqual([500, 1_000, 2_000, 500, 1_000])
  })

  it("is closed with 1000 when it is stopped, and does not come back", async () => {
    const { clock, socket } = await connected(0)
    const closed = new Promise((resolve) => socket.once("close", resolve))
    await rig!.daemon.stop()
    expect(await closed).toBe(1000)
    clock.advance(3_600_000)
    expect(rig!.hub.connections).toHaveLength(1)
  })
})

describe("a daemon whose machine has slept", () => {
  const woke = wakeLookMillis + wakeAnswerMillis

  it("is back at once where its connection has died meanwhile, and within 5 s of waking", async () => {
    const { clock, socket } = await connected(1)
    socket.pause()
    clock.sleep(8 * 3_600_000)
    clock.advance(wakeLookMillis)
    expect(says("this machine has slept")).toBe(true)
    clock.advance(wakeAnswerMillis)
    await rig!.hub.connection(2)
    expect(woke).toBeLessThan(5_000)
  })

  it("keeps a connection on which the hub answers", async () => {
    const { clock, socket } = await connected(1)
    const pinged = once(socket, "ping")
    clock.sleep(60_000)
    clock.advance(wakeLookMillis)
    await pinged
    await until("the answer has come", () => socket.bufferedAmount === 0)
    const back = rig!.hub.connection(1)
    await (await back).ask({ type: "terminal_exec", payload: { command: "true" } })
    clock.advance(wakeAnswerMillis)
    expect([says("disconnected"), rig!.hub.connections.length]).toEqual([false, 1])
  })

  it("comes back at once where it waited, but not where the hub asked it to stay away", async () => {
    const { clock, socket } = await connected(1)
    socket.close(1011)
    await until("it waits", () => says("disconnected"))
    clock.sleep(60_000)
    clock.advance(wakeLookMillis)
    const again = await rig!.hub.connection(2)
    await admitted(2)
    again.socket.close(4503, JSON.stringify({ afterMs: 600_000 }))
    await until("it waits again", () => says("4503"))
    clock.sleep(60_000)
    clock.advance(wakeLookMillis)
    expect(rig!.hub.connections.length).toBe(2)
  })
})
