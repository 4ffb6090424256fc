/** Commands that outlive their call, as an integrator meets them: started, answered, lost, timed out. */
import { describe, expect, it } from "vitest"
import { inTurn, ownedDaemon } from "../../support/connected-daemon.ts"
import { given } from "../../support/given.ts"
import { keptCommands } from "../../support/stored-commands.ts"

const { hub, connected, start, read, ended, acknowledged } = keptCommands()

describe("a command that outlives its call", () => {
  given(connected)("is answered 202 with its place, and its result is read there", async ({ peer, ...mine }) => {
    const started = await start(mine, { body: { type: "screenshot", payload: { n: 1 }, timeoutSeconds: 1_800 } })
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
    expect(body).toMatchObject({ commandId, daemonId: mine.daemonId, type: "screenshot", state: "succeeded" })
    expect(body.result).toEqual({ messages: [] })
    expect(body.finishedAt).toBeGreaterThanOrEqual(body.createdAt)
  })

  given(connected)("of a terminal has the shape of its route, a small and a large one", async ({ peer, ...mine }) => {
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

  given(connected)("launches too", async ({ peer, ...mine }) => {
    const body = { type: "agent-a", timeoutSeconds: 3_600 }
    const { key, daemonId } = mine
    const started = await hub.request("POST", `/api/v1/shortcuts/${daemonId}/launch`, {
      key,
      body,
      headers: { prefer: "respond-async" }
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

  it("works with a daemon that keeps none while the connection holds", async () => {
    const { peer, ...mine } = await connected([])
    const { commandId } = (await start(mine)).body
    ;(await peer.nextCommand()).succeed([1])
    expect(await ended(mine, commandId)).toMatchObject({ state: "succeeded", result: [1] })
    await inTurn(peer)
    expect(peer.frames.filter(({ type }) => type === "result_ack")).toEqual([])
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

  given(() => ownedDaemon(hub))("leaves no row when its daemon is offline", async (mine) => {
    const { status, body } = await start(mine)
    expect([status, body.reason]).toEqual([500, "DAEMON_OFFLINE"])
    expect((await mine.get("/api/v1/commands")).body.commands).toEqual([])
  })

  it.each([0, 1.5, 3_601, -1])("refuses a timeout of %d seconds", async (timeoutSeconds) => {
    const { peer: _, ...mine } = await connected()
    const { status, body } = await start(mine, { body: { type: "screenshot", timeoutSeconds } })
    expect([status, body.issues[0].path]).toEqual([400, "timeoutSeconds"])
  })
})
