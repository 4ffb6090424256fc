/** docs/daemon-protocol.md: commands that outlive their call. */
import { describe, expect, it } from "vitest"
import { newId } from "../../../src/domain/ids.ts"
import {
  commandGraceMillis,
  lateCommandsMax,
  startedCommandsMax,
  storedResultBytesMax
} from "../../../src/limits/commands.ts"
import { framesPer10sMax } from "../../../src/limits.ts"
import { inTurn, type Owned, ownedDaemon, reported } from "../../support/connected-daemon.ts"
import { useHub } from "../../support/hub.ts"
import type { Peer } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

const hub = useHub({ virtual: true })

const all = ["durable_commands", "command_cancel"]
type Caller = Pick<Owned, "daemonId" | "key">

const connected = async (capabilities?: ReadonlyArray<unknown>) => {
  const mine = await ownedDaemon(hub)
  const auth = capabilities === undefined ? {} : { capabilities }
  return { ...mine, peer: await mine.connect({ auth, report: [reported("s1")] }) }
}
const start = ({ daemonId, key }: Caller, body: object = { type: "screenshot" }) =>
  hub.request("POST", `/api/v1/daemons/${daemonId}/command`, { key, body, headers: { prefer: "respond-async" } })
const started = async (mine: Caller, peer: Peer, body?: object): Promise<string> => {
  const { commandId } = (await start(mine, body)).body
  await peer.nextCommand()
  return commandId
}
const stateOf = async ({ key }: Caller, commandId: string): Promise<string> =>
  (await hub.request("GET", `/api/v1/commands/${commandId}`, { key })).body.state
const becomes = (mine: Caller, commandId: string, state: string): Promise<unknown> =>
  until(`${commandId} is ${state}`, async () => (await stateOf(mine, commandId)) === state)
const succeeds = (peer: Peer, id: string, result: unknown = "done"): void =>
  peer.send("command_result", { id, success: true, result })
const acknowledged = async (peer: Peer): Promise<string> => (await peer.nextFrame("result_ack")).data.ids[0]

describe("a command that outlives its call", () => {
  it.each([
    ["nothing", undefined],
    ["null", null],
    ["unknown words", ["from_the_future", 7]]
  ])("P102: is not durable, and cannot be cancelled, for a daemon that names %s", async (_, capabilities) => {
    const { peer, ...mine } = await connected(capabilities as ReadonlyArray<unknown>)
    const { commandId } = (await start(mine)).body
    const { data } = await peer.nextFrame("command")
    expect(data).not.toHaveProperty("durable")
    const cancel = await mine.post(`/api/v1/commands/${commandId}/cancel`, {})
    expect(cancel.status).toBe(409)
    await inTurn(peer)
    expect(peer.frames.filter(({ type }) => type === "command_cancel")).toEqual([])
  })

  it("P102: is durable for a daemon that names it among at most 32 words", async () => {
    const words = Array.from({ length: 31 }, (_, at) => `word_${at}`)
    for (const [capabilities, durable] of [
      [[...words, "durable_commands"], true],
      [["one more", ...words, "durable_commands"], undefined]
    ] as const) {
      const { peer, ...mine } = await connected(capabilities)
      await start(mine)
      expect((await peer.nextFrame("command")).data.durable).toBe(durable)
    }
  })

  it("P103: may take an hour, beside 64 that are waited for; the 257th without a result is refused", async () => {
    const { peer, command, ...mine } = await connected(all)
    expect((await start(mine, { type: "screenshot", timeoutSeconds: 3_600 })).status).toBe(202)
    expect((await peer.nextCommand()).deadlineMs).toBe(3_600_000)
    const more = await Promise.all(Array.from({ length: startedCommandsMax - 1 }, () => start(mine)))
    expect(more.every(({ status }) => status === 202)).toBe(true)
    const refused = await start(mine)
    expect([refused.status, refused.body.reason]).toEqual([503, "OVERLOADED"])
    const { commands } = (await mine.get("/api/v1/commands?state=pending&limit=1000")).body
    expect(commands).toHaveLength(200)
    const waited = command("read_chat")
    const sent = await until("it is sent", () =>
      peer.frames.find(({ type, data }) => type === "command" && data.type === "read_chat")
    )
    succeeds(peer, sent.data.id)
    expect((await waited).status).toBe(200)
    succeeds(peer, commands[0].commandId)
    await acknowledged(peer)
    expect((await start(mine)).status).toBe(202)
  })

  it("P104: is acknowledged once its result is committed, as often as it is sent", async () => {
    const { peer, ...mine } = await connected(all)
    const id = await started(mine, peer)
    for (const result of ["first", "second"]) {
      succeeds(peer, id, result)
      expect(await acknowledged(peer)).toBe(id)
      const { body } = await mine.get(`/api/v1/commands/${id}`)
      expect([body.state, body.result]).toEqual(["succeeded", "first"])
    }
    const nobodys = newId("command")
    succeeds(peer, nobodys)
    expect(await acknowledged(peer)).toBe(nobodys)
  })

  it("P105: is lost when its daemon comes back and does not name it, and only then", async () => {
    const { peer, ...mine } = await connected(all)
    const [had, gone] = [await started(mine, peer), await started(mine, peer)]
    await peer.cut()
    const again = await mine.connect({ auth: { capabilities: all, commands: [had, 7, "nonsense", null] } })
    await becomes(mine, gone, "lost")
    expect(await stateOf(mine, had)).toBe("pending")
    succeeds(again, had)
    await becomes(mine, had, "succeeded")
  })

  it("P106: is lost with its connection without `durable`", async () => {
    const { peer, ...mine } = await connected([])
    const id = await started(mine, peer)
    await peer.cut()
    await becomes(mine, id, "lost")
    const again = await mine.connect()
    succeeds(again, id)
    await inTurn(again)
    expect(await stateOf(mine, id)).toBe("lost")
  })

  it("P106: late results of the 256 newest calls that timed out are kept", async () => {
    const { peer, command, ...mine } = await connected([])
    const ids: Array<string> = []
    while (ids.length <= lateCommandsMax) {
      const calls = Array.from({ length: Math.min(64, lateCommandsMax + 1 - ids.length) }, () => command("screenshot"))
      for (const _ of calls) ids.push((await peer.nextCommand()).id)
      await hub.advance(60_100)
      for (const call of calls) expect((await call).status).toBe(504)
    }
    succeeds(peer, ids[0]!)
    succeeds(peer, ids[1]!)
    await becomes(mine, ids[1]!, "succeeded")
    expect(await stateOf(mine, ids[0]!)).toBe("pending")
  })

  it("P107: takes its result on any connection, of its own daemon only", async () => {
    const { peer, ...mine } = await connected(all)
    const id = await started(mine, peer)
    const stranger = await connected(all)
    succeeds(stranger.peer, id)
    await acknowledged(stranger.peer)
    expect(await stateOf(mine, id)).toBe("pending")
    const newer = await mine.connect({ auth: { capabilities: all, commands: [id] } })
    succeeds(newer, id)
    expect(await acknowledged(newer)).toBe(id)
    expect(await stateOf(mine, id)).toBe("succeeded")
  })

  it("P108: is timed out 15 s after its deadline, and its result still replaces that", async () => {
    const { peer, ...mine } = await connected(all)
    const id = await started(mine, peer, { type: "screenshot", timeoutSeconds: 30 })
    await hub.advance(30_000 + commandGraceMillis - 2_000)
    expect(await stateOf(mine, id)).toBe("pending")
    await until("it is timed out", async () => {
      await hub.advance(1_000)
      return (await stateOf(mine, id)) === "timed_out"
    })
    succeeds(peer, id)
    await becomes(mine, id, "succeeded")
    peer.send("command_result", { id, success: false, error: "no", code: "cancelled" })
    await acknowledged(peer)
    await acknowledged(peer)
    expect(await stateOf(mine, id)).toBe("succeeded")
  })

  it("P109: is cancelled when its daemon says so, told again after a reconnect", async () => {
    const { peer, ...mine } = await connected(all)
    const id = await started(mine, peer)
    expect((await mine.post(`/api/v1/commands/${id}/cancel`, {})).status).toBe(202)
    expect((await peer.nextFrame("command_cancel")).data).toEqual({ id })
    await peer.cut()
    const again = await mine.connect({ auth: { capabilities: all, commands: [id] } })
    expect((await again.nextFrame("command_cancel")).data).toEqual({ id })
    again.send("command_result", { id, success: false, error: "ended", code: "cancelled" })
    await becomes(mine, id, "cancelled")
    expect((await mine.post(`/api/v1/commands/${id}/cancel`, {})).status).toBe(200)
  })

  it("P109: is told again while nothing comes of it", async () => {
    const { peer, ...mine } = await connected(all)
    const id = await started(mine, peer)
    await mine.post(`/api/v1/commands/${id}/cancel`, {})
    await peer.nextFrame("command_cancel")
    await until("it is told again", async () => {
      await hub.advance(1_000)
      return peer.frames.filter(({ type }) => type === "command_cancel").length > 1
    })
    expect(await stateOf(mine, id)).toBe("pending")
  })

  it("P110: has succeeded without its result, when that is too large", async () => {
    const { peer, ...mine } = await connected(all)
    const id = await started(mine, peer)
    succeeds(peer, id, "x".repeat(storedResultBytesMax))
    await acknowledged(peer)
    const { body } = await mine.get(`/api/v1/commands/${id}`)
    expect([body.state, body.resultOmitted, "result" in body]).toEqual(["succeeded", "RESULT_TOO_LARGE", false])
  })

  it("P110: may be named and answered in a crowd, while results that nobody waits for are charged", async () => {
    const { peer, ...mine } = await connected(all)
    const ids = (await Promise.all(Array.from({ length: 150 }, () => start(mine)))).map(({ body }) => body.commandId)
    await peer.cut()
    const again = await mine.connect({ auth: { capabilities: all, commands: ids } })
    for (const id of ids) succeeds(again, id)
    for (const _ of ids) await acknowledged(again)
    for (let nth = 0; nth <= framesPer10sMax; nth++) succeeds(again, newId("command"))
    expect((await again.closed).code).toBe(4429)
  })
})
