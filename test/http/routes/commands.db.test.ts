/** Stored commands as their account sees them: late results of a 504, cancel, the list and its bounds. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { planLimits } from "../../../src/domain/account/plans.ts"
import { inTurn, ownedDaemon } from "../../support/connected-daemon.ts"
import { given } from "../../support/given.ts"
import type { HubAnswer } from "../../support/hub.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { keptCommands } from "../../support/stored-commands.ts"
import { until } from "../../support/until.ts"

const { hub, connected, start, read, ended, acknowledged } = keptCommands()

/** What a daemon says of a terminal command whose time was over. */
const tooLate = {
  success: false,
  error: "it ran too long",
  code: "terminal_timeout",
  result: { exitCode: null, stdout: "one\n", stderr: "two\n", durationMs: 3_000, truncated: false }
}

it("a stored command that its daemon ended has what it printed beside the refusal", async () => {
  const { peer, command: _, ...mine } = await connected()
  const [path, body] = [`/api/v1/daemons/${mine.daemonId}/terminal`, { command: "sleep 9", timeoutSeconds: 3 }]
  await hub.request("POST", path, { key: mine.key, body, headers: { prefer: "respond-async" } })
  const { data } = await peer.nextFrame("command")
  peer.send("command_result", { id: data.id, ...tooLate })
  const { result, code } = tooLate
  expect(await ended(mine, data.id)).toMatchObject({ state: "failed", daemonCode: code, result })
})

describe("a call that waits", () => {
  given(connected)("takes a timeout of up to 60 s, and refuses more", async ({ peer, command: _, ...mine }) => {
    const post = (timeoutSeconds: number) =>
      mine.post(`/api/v1/daemons/${mine.daemonId}/command`, { type: "screenshot", timeoutSeconds })
    const waiting = post(5)
    const sent = await peer.nextCommand()
    expect(sent.deadlineMs).toBe(5_000)
    sent.succeed()
    expect((await waiting).status).toBe(200)
    expect((await post(61)).status).toBe(400)
  })

  it("waits 4 s more than the command gets, for what the daemon says of it", async () => {
    const { peer, command: _, ...mine } = await connected()
    const waiting = mine.post(`/api/v1/daemons/${mine.daemonId}/terminal`, { command: "sleep 9", timeoutSeconds: 3 })
    const { data } = await peer.nextFrame("command")
    expect(data).toMatchObject({ deadlineMs: 3_000, waitMs: 7_000 })
    await hub.advance(6_900)
    peer.send("command_result", { id: data.id, ...tooLate })
    const { status, body } = await waiting
    const { result, code } = tooLate
    expect([status, body]).toEqual([200, expect.objectContaining({ success: false, daemonCode: code, result })])
  })

  it("that times out names the place of its late result", async () => {
    const { peer, command, ...mine } = await connected([])
    const answer = command("screenshot")
    const sent = await peer.nextCommand()
    await hub.advance(60_100)
    const { status, body, headers } = await answer
    expect([status, body.commandId]).toEqual([504, sent.id])
    expect(headers.get("location")).toBe(`/api/v1/commands/${sent.id}`)
    expect((await read(mine, sent.id)).body.state).toBe("pending")
    sent.succeed("late")
    expect(await ended(mine, sent.id)).toMatchObject({ state: "succeeded", result: "late" })
  })

  given(connected)("leaves no row when it is answered in time", async ({ peer, command, ...mine }) => {
    peer.answerWith(() => "done")
    const { body } = await command("screenshot")
    expect((await read(mine, body.commandId)).status).toBe(404)
  })
})

describe("the list of stored commands", () => {
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

  given(connected)("shows a credential what it might have sent", async ({ peer: _, account, ...mine }) => {
    const terminal = (await start(mine, { route: "terminal", body: { command: "make" } })).body
    const chat = (await start(mine, { body: { type: "send_chat", payload: { message: "Go on" } } })).body
    const key = await account.key(["agent:control"])
    const list = await hub.request("GET", "/api/v1/commands", { key })
    expect(list.body.commands.map((one: { commandId: string }) => one.commandId)).toEqual([chat.commandId])
    const refused = await read({ key }, terminal.commandId)
    expect([refused.status, refused.body.requiredScope]).toEqual([403, "terminal:exec"])
  })

  it("is as long as the plan allows: one more command is refused, and nothing is sent", async () => {
    const mine = await ownedDaemon(hub)
    const account = await hub.account({ plan: "free" })
    const { daemonId, token } = await account.daemonToken()
    const key = await account.key(["ide:control"])
    const peer = await connectDaemon(hub, token, { report: [] })
    const { keptCommands: max } = planLimits.free
    const fill = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`insert into commands
          (id, account_id, daemon_id, type, state, durable, cancellable, epoch, created_at, deadline_at)
        select 'cmd_' || n, ${account.accountId}, ${daemonId}, 'screenshot', 'pending', true, true, 9, ${hub.now()}, ${hub.now() + 1e9}
        from generate_series(1, ${max}) as n`
    )
    await hub.inside(fill)
    const used = async () => (await hub.request("GET", "/api/v1/me", { key })).body.limits.keptCommands
    await until("they are counted", async () => (await used()).used === max)
    const refused = await start({ daemonId, key })
    expect([refused.status, refused.body.reason, refused.body.limit]).toEqual([429, "COMMAND_LIMIT_REACHED", max])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    await inTurn(peer)
    expect(peer.frames.filter(({ type }) => type === "command")).toEqual([])
    expect((await start(mine)).body.reason).toBe("DAEMON_OFFLINE")
  })
})

it("of a daemon that is offline is answered 500, which is counted apart as no fault of the hub", async () => {
  const mine = await ownedDaemon(hub)
  const counted = async () => {
    const { text } = await hub.request("GET", "/metrics")
    return Number(/^hub_requests_offline_total (\d+)/mu.exec(text)?.[1])
  }
  const before = await counted()
  expect(await start(mine)).toMatchObject({ status: 500, body: { reason: "DAEMON_OFFLINE" } })
  const path = `/api/v1/daemons/${mine.daemonId}/command`
  const once = { key: mine.key, body: { type: "screenshot" }, headers: { "idempotency-key": "once" } }
  for (const _ of ["the run", "its repeat"])
    expect(await hub.request("POST", path, once)).toMatchObject({ status: 500 })
  expect(await counted()).toBe(before + 3)
})
