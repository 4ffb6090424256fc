/** Commands that outlive their call, as an integrator meets them: started, read, listed, cancelled, bounded. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { commandGraceMillis, keptResultBytesMax, lateResultMillisMax } from "../../src/limits/commands.ts"
import { inTurn, type Owned, ownedDaemon, reported } from "../support/connected-daemon.ts"
import { databaseMissing } from "../support/database.ts"
import { type HubAnswer, startHub, type TestHub } from "../support/hub.ts"
import type { Peer } from "../support/scripted-daemon.ts"
import { until } from "../support/until.ts"

let hub: TestHub
beforeAll(async () => {
  hub = await startHub({ virtual: true })
})
afterAll(() => hub.close())

const all = ["durable_commands", "command_cancel"]
const asyncHeaders = { prefer: "respond-async" }

const connected = async (capabilities: ReadonlyArray<string> = all) => {
  const mine = await ownedDaemon(hub)
  const peer = await mine.connect({ auth: { capabilities }, report: [reported("s1")] })
  return { ...mine, peer }
}

type Caller = Pick<Owned, "daemonId" | "key">

const start = async (
  { daemonId, key }: Caller,
  more: { readonly body?: object; readonly headers?: Record<string, string>; readonly route?: string } = {}
): Promise<HubAnswer> => {
  const { body = { type: "read_chat", payload: {} }, headers = {}, route = "command" } = more
  return hub.request("POST", `/api/v1/daemons/${daemonId}/${route}`, {
    key,
    body,
    headers: { ...asyncHeaders, ...headers }
  })
}

const read = async ({ key }: Pick<Owned, "key">, commandId: string): Promise<HubAnswer> =>
  hub.request("GET", `/api/v1/commands/${commandId}`, { key })

const ended = (mine: Caller, commandId: string): Promise<HubAnswer["body"]> =>
  until("the command ends", async () => {
    const { body } = await read(mine, commandId)
    return body.state === "pending" ? undefined : body
  })

/** The same of one that only time ends. */
const endedInTime = (mine: Caller, commandId: string): Promise<HubAnswer["body"]> =>
  until("time ends the command", async () => {
    await hub.advance(1_000)
    const { body } = await read(mine, commandId)
    return body.state === "pending" ? undefined : body
  })

const acknowledged = (peer: Peer): Promise<ReadonlyArray<string>> =>
  peer.nextFrame("result_ack").then(({ data }) => data.ids)

describe.skipIf(databaseMissing)("a command that outlives its call", () => {
  it("is answered 202 with its place, and its result is read there", async () => {
    const { peer, ...mine } = await connected()
    const started = await start(mine, { body: { type: "read_chat", payload: { n: 1 }, timeoutSeconds: 1_800 } })
    expect(started.status).toBe(202)
    const { commandId } = started.body
    expect(started.headers.get("location")).toBe(`/api/v1/commands/${commandId}`)
    expect(started.headers.get("preference-applied")).toBe("respond-async")
    const sent = await peer.nextCommand()
    expect(sent).toMatchObject({ id: commandId, deadlineMs: 1_800_000, durable: true, payload: { n: 1 } })
    expect((await read(mine, commandId)).body).toEqual(started.body)
    sent.succeed({ messages: [] })
    expect(await acknowledged(peer)).toEqual([commandId])
    const { body } = await read(mine, commandId)
    expect(body).toMatchObject({ commandId, daemonId: mine.daemonId, type: "read_chat", state: "succeeded" })
    expect(body.result).toEqual({ messages: [] })
    expect(body.finishedAt).toBeGreaterThanOrEqual(body.createdAt)
  })

  it("of a terminal has the shape of its route, a small and a large one", async () => {
    const { peer, ...mine } = await connected()
    for (const stdout of ["done\n", "x".repeat(200_000)]) {
      const { commandId } = (await start(mine, { route: "terminal", body: { command: "make" } })).body
      const sent = await peer.nextCommand()
      expect(sent.type).toBe("terminal_exec")
      sent.succeed({ exitCode: 0, stdout, stderr: "", durationMs: 5, further: "is left out" })
      await acknowledged(peer)
      const { body } = await read(mine, commandId)
      expect(body.result).toEqual({ exitCode: 0, stdout, stderr: "", durationMs: 5, truncated: false })
    }
  })

  it("launches too", async () => {
    const { peer, ...mine } = await connected()
    const body = { type: "agent-a", timeoutSeconds: 3_600 }
    const { key, daemonId } = mine
    const started = await hub.request("POST", `/api/v1/shortcuts/${daemonId}/launch`, {
      key,
      body,
      headers: asyncHeaders
    })
    expect(started.status).toBe(202)
    const sent = await peer.nextCommand()
    expect([sent.type, sent.deadlineMs]).toEqual(["launch_cli", 3_600_000])
    sent.refuse("no such agent", "agent_not_found")
    expect(await ended(mine, started.body.commandId)).toMatchObject({
      state: "failed",
      error: "no such agent",
      daemonCode: "agent_not_found"
    })
  })

  it("survives its connection, and its result is taken on the next", async () => {
    const { peer, ...mine } = await connected()
    const { commandId } = (await start(mine)).body
    await peer.nextCommand()
    await peer.cut()
    const again = await mine.connect({ auth: { capabilities: all, commands: [commandId] } })
    await inTurn(again)
    expect((await read(mine, commandId)).body.state).toBe("pending")
    again.send("command_result", { id: commandId, success: true, result: "late" })
    expect(await acknowledged(again)).toEqual([commandId])
    expect((await read(mine, commandId)).body).toMatchObject({ state: "succeeded", result: "late" })
    expect(again.frames.filter(({ type }) => type === "command")).toEqual([])
  })

  it("is lost when its daemon comes back without it", async () => {
    const { peer, ...mine } = await connected()
    const { commandId } = (await start(mine)).body
    await peer.nextCommand()
    await peer.cut()
    await mine.connect({ auth: { capabilities: all } })
    expect((await ended(mine, commandId)).state).toBe("lost")
  })

  it("is lost with its connection where the daemon keeps none", async () => {
    const { peer, ...mine } = await connected([])
    const { commandId } = (await start(mine)).body
    expect(await peer.nextCommand()).not.toHaveProperty("durable")
    await peer.cut()
    expect((await ended(mine, commandId)).state).toBe("lost")
  })

  it("works with a daemon that keeps none while the connection holds", async () => {
    const { peer, ...mine } = await connected([])
    const { commandId } = (await start(mine)).body
    ;(await peer.nextCommand()).succeed([1])
    expect(await ended(mine, commandId)).toMatchObject({ state: "succeeded", result: [1] })
    await inTurn(peer)
    expect(peer.frames.filter(({ type }) => type === "result_ack")).toEqual([])
  })

  it("is timed out soon after its deadline, and a result that still comes replaces that", async () => {
    const { peer, ...mine } = await connected()
    const { commandId } = (await start(mine, { body: { type: "screenshot", timeoutSeconds: 10 } })).body
    const sent = await peer.nextCommand()
    await hub.advance(10_000 + commandGraceMillis)
    expect(await endedInTime(mine, commandId)).toMatchObject({ state: "timed_out", durationMs: expect.any(Number) })
    sent.succeed("after all")
    await acknowledged(peer)
    expect((await read(mine, commandId)).body).toMatchObject({ state: "succeeded", result: "after all" })
  })

  it("is sent once under an Idempotency-Key, and the repeat names the same place", async () => {
    const { peer, ...mine } = await connected()
    const headers = { "idempotency-key": "build-1" }
    const first = await start(mine, { headers })
    const second = await start(mine, { headers })
    expect([second.status, second.body]).toEqual([202, first.body])
    expect(second.headers.get("location")).toBe(first.headers.get("location"))
    await inTurn(peer)
    expect(peer.frames.filter(({ type }) => type === "command")).toHaveLength(1)
  })

  it("leaves no row when its daemon is offline", async () => {
    const mine = await ownedDaemon(hub)
    const { status, body } = await start(mine)
    expect([status, body.reason]).toEqual([500, "DAEMON_OFFLINE"])
    expect((await mine.get("/api/v1/commands")).body.commands).toEqual([])
  })

  it("keeps a result up to its bound, and says why a larger one is not there", async () => {
    const { peer, ...mine } = await connected()
    for (const [size, omitted] of [
      [keptResultBytesMax - 2, undefined],
      [keptResultBytesMax - 1, "RESULT_TOO_LARGE"]
    ] as const) {
      const { commandId } = (await start(mine)).body
      ;(await peer.nextCommand()).succeed("x".repeat(size))
      await acknowledged(peer)
      const { body } = await read(mine, commandId)
      expect([body.state, body.result?.length, body.resultOmitted]).toEqual([
        "succeeded",
        omitted === undefined ? size : undefined,
        omitted
      ])
    }
  })

  it.each([0, 1.5, 3_601, -1])("refuses a timeout of %d seconds", async (timeoutSeconds) => {
    const { peer: _, ...mine } = await connected()
    const { status, body } = await start(mine, { body: { type: "read_chat", timeoutSeconds } })
    expect([status, body.issues[0].path]).toEqual([400, "timeoutSeconds"])
  })
})

describe.skipIf(databaseMissing)("a call that waits", () => {
  it("takes a timeout of up to 60 s, and refuses more", async () => {
    const { peer, command: _, ...mine } = await connected()
    const post = (timeoutSeconds: number) =>
      mine.post(`/api/v1/daemons/${mine.daemonId}/command`, { type: "read_chat", timeoutSeconds })
    const waiting = post(5)
    const sent = await peer.nextCommand()
    expect(sent.deadlineMs).toBe(5_000)
    sent.succeed()
    expect((await waiting).status).toBe(200)
    expect((await post(61)).status).toBe(400)
  })

  it("that times out names the place of its late result", async () => {
    const { peer, command, ...mine } = await connected([])
    const answer = command("read_chat")
    const sent = await peer.nextCommand()
    await hub.advance(60_100)
    const { status, body, headers } = await answer
    expect([status, body.commandId]).toEqual([504, sent.id])
    expect(headers.get("location")).toBe(`/api/v1/commands/${sent.id}`)
    expect((await read(mine, sent.id)).body.state).toBe("pending")
    sent.succeed("late")
    expect(await ended(mine, sent.id)).toMatchObject({ state: "succeeded", result: "late" })
  })

  it("that timed out is lost with its connection, and timed out when nothing comes", async () => {
    const { peer, command, ...mine } = await connected()
    const [one, two] = [command("read_chat"), command("read_chat")]
    const [first, second] = [await peer.nextCommand(), await peer.nextCommand()]
    await hub.advance(60_100)
    expect([(await one).status, (await two).status]).toEqual([504, 504])
    first.succeed()
    await ended(mine, first.id)
    await hub.advance(lateResultMillisMax + commandGraceMillis)
    expect((await endedInTime(mine, second.id)).state).toBe("timed_out")
    const three = command("read_chat")
    const third = await peer.nextCommand()
    await hub.advance(60_100)
    await three
    await peer.cut()
    expect((await ended(mine, third.id)).state).toBe("lost")
  })

  it("leaves no row when it is answered in time", async () => {
    const { peer, command, ...mine } = await connected()
    peer.answerWith(() => "done")
    const { body } = await command("read_chat")
    expect((await read(mine, body.commandId)).status).toBe(404)
  })
})

describe.skipIf(databaseMissing)("a cancel", () => {
  const cancel = ({ key }: Caller, commandId: string) =>
    hub.request("POST", `/api/v1/commands/${commandId}/cancel`, { key })

  it("reaches the daemon, whose answer ends the command", async () => {
    const { peer, ...mine } = await connected()
    const { commandId } = (await start(mine)).body
    const { refuse } = await peer.nextCommand()
    const asked = await cancel(mine, commandId)
    expect([asked.status, asked.body.state]).toEqual([202, "pending"])
    expect(asked.body.cancelRequestedAt).toEqual(expect.any(Number))
    expect((await peer.nextFrame("command_cancel")).data).toEqual({ id: commandId })
    refuse("ended on request", "cancelled")
    expect(await ended(mine, commandId)).toMatchObject({ state: "cancelled", daemonCode: "cancelled" })
    const again = await cancel(mine, commandId)
    expect([again.status, again.body.state]).toEqual([200, "cancelled"])
  })

  it("waits for a daemon that is away", async () => {
    const { peer, ...mine } = await connected()
    const { commandId } = (await start(mine)).body
    await peer.nextCommand()
    await peer.cut()
    expect((await cancel(mine, commandId)).status).toBe(202)
    const again = await mine.connect({ auth: { capabilities: all, commands: [commandId] } })
    expect((await again.nextFrame("command_cancel")).data).toEqual({ id: commandId })
  })

  it("is refused where the daemon cannot end a command", async () => {
    const { peer, ...mine } = await connected([])
    const { commandId } = (await start(mine)).body
    await peer.nextCommand()
    const { status, body } = await cancel(mine, commandId)
    expect([status, body.reason]).toEqual([409, "COMMAND_NOT_CANCELLABLE"])
  })

  it("of another account's command is answered as of none", async () => {
    const { peer: _, ...mine } = await connected()
    const { commandId } = (await start(mine)).body
    const stranger = await ownedDaemon(hub)
    const unknown = "cmd_00000000000000000000"
    const texts = async (id: string) => {
      const answers = [await cancel(stranger, id), await read(stranger, id)]
      return answers.map(({ status, text, body }) => [status, text.replaceAll(body.requestId, "")])
    }
    expect(await texts(commandId)).toEqual(await texts(unknown))
    expect((await texts(commandId))[0]![0]).toBe(404)
  })
})

describe.skipIf(databaseMissing)("the list of kept commands", () => {
  it("has the newest first, in pages, by daemon and state, each command once", async () => {
    const { peer, ...mine } = await connected()
    const ids: Array<string> = []
    for (let nth = 0; nth < 5; nth++) {
      await hub.advance(10)
      ids.unshift((await start(mine)).body.commandId)
    }
    ;(await peer.nextCommand()).succeed()
    await acknowledged(peer)
    const list = async (query: string) => (await mine.get(`/api/v1/commands?${query}`)).body
    const idsOf = ({ commands }: HubAnswer["body"]) => commands.map((one: { commandId: string }) => one.commandId)
    const first = await list("limit=3")
    const second = await list(`limit=3&cursor=${first.nextCursor}`)
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids)
    expect(second).not.toHaveProperty("nextCursor")
    expect(idsOf(await list("state=succeeded"))).toEqual([ids.at(-1)])
    expect(idsOf(await list(`daemonId=${mine.daemonId}&state=pending`))).toHaveLength(4)
    expect(idsOf(await list("daemonId=dmn_00000000000000000000"))).toEqual([])
  })

  it("shows a credential what it might have sent", async () => {
    const { peer: _, account, ...mine } = await connected()
    const terminal = (await start(mine, { route: "terminal", body: { command: "make" } })).body
    const chat = (await start(mine)).body
    const key = await account.key(["agent:read"])
    const list = await hub.request("GET", "/api/v1/commands", { key })
    expect(list.body.commands.map((one: { commandId: string }) => one.commandId)).toEqual([chat.commandId])
    const refused = await read({ key }, terminal.commandId)
    expect([refused.status, refused.body.requiredScope]).toEqual([403, "terminal:exec"])
  })

  it("forgets a command a day after its end, and one of a removed daemon at once", async () => {
    const { peer, ...mine } = await connected()
    const { commandId } = (await start(mine)).body
    ;(await peer.nextCommand()).succeed()
    await acknowledged(peer)
    await hub.advance(86_400_000 - 60_000)
    expect((await read(mine, commandId)).status).toBe(200)
    await hub.advance(120_000)
    await until("it is forgotten", async () => (await read(mine, commandId)).status === 404)
  })
})
