/** The tools of a hub as the official SDK's client sees them: who may see which, and what a call gives. */
import type { Client } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connectedDaemon, type Owned } from "../../support/connected-daemon.ts"
import { useHub } from "../../support/hub.ts"
import { callTool, connectMcp, revision, revisionWithHandshake } from "../../support/mcp-client.ts"
import type { Peer } from "../../support/scripted-daemon.ts"

const textOf = (result: unknown): string => (result as { content: ReadonlyArray<{ text: string }> }).content[0]!.text

describe("the tools of a hub", () => {
  const hub = useHub()
  let mine: Owned & { readonly peer: Peer }
  let client: Client
  beforeAll(async () => {
    mine = await connectedDaemon(hub)
    client = await connectMcp(hub, mine.key)
  })
  afterAll(async () => {
    await client?.close()
  })

  it("are listed by the newest revision, and by the last one with a handshake", async () => {
    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    const { tools } = await client.listTools()
    const older = await connectMcp(hub, mine.key, {})
    expect(older.getNegotiatedProtocolVersion()).toBe(revisionWithHandshake)
    expect((await older.listTools()).tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    await older.close()
  })

  it("are those alone that the scopes of the key allow", async () => {
    const names = async (scopes: Parameters<typeof mine.account.key>[0]) => {
      const one = await connectMcp(hub, await mine.account.key(scopes))
      const { tools } = await one.listTools()
      await one.close()
      const shown = "get_account list_daemons run_terminal_command send_command read_chat list_webhooks".split(" ")
      return tools.map(({ name }) => name).filter((name) => shown.includes(name))
    }
    expect(await names(["ide:read"])).toEqual(["get_account", "list_daemons"])
    expect(await names(["terminal:exec"])).toEqual(["get_account", "run_terminal_command"])
  })

  it("give the answer of the REST call, as text and as structured content of their schema", async () => {
    const result = await client.callTool({ name: "list_daemons", arguments: {} })
    const { body } = await mine.get("/api/v1/daemons")
    expect(result.structuredContent).toEqual(body)
    expect(JSON.parse(textOf(result))).toEqual(body)
    const status = await client.callTool({ name: "get_daemon_status", arguments: { daemonId: mine.daemonId } })
    expect(status.isError).toBeUndefined()
    expect(status.structuredContent).toMatchObject({ id: mine.daemonId, online: true })
  })

  it("send commands to the daemon and give its answer", async () => {
    const sent = client.callTool({ name: "send_command", arguments: { daemonId: mine.daemonId, type: "screenshot" } })
    const command = await mine.peer.nextCommand()
    expect(command.type).toBe("screenshot")
    command.succeed({ bytes: 7 })
    expect((await sent).structuredContent).toMatchObject({ success: true, result: { bytes: 7 } })
    const refused = client.callTool({
      name: "send_command",
      arguments: { daemonId: mine.daemonId, type: "screenshot" }
    })
    ;(await mine.peer.nextCommand()).refuse("no screen", "no_screen")
    expect(await refused).toMatchObject({ isError: true, structuredContent: { error: "no screen" } })
  })

  it("refuse a key without the scope, and say which it lacks", async () => {
    const one = await connectMcp(hub, await mine.account.key(["ide:read"]))
    const result = await one.callTool({ name: "stop_agent", arguments: { daemonId: mine.daemonId, type: "x" } })
    expect(JSON.parse(textOf(result))).toMatchObject({
      status: 403,
      reason: "AUTH_FORBIDDEN",
      requiredScope: "ide:control"
    })
    await one.close()
  })

  it("refuse bad input with the place that is wrong", async () => {
    const issues = async (name: string, given: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: given })
      expect(result.isError).toBe(true)
      const { reason, issues } = JSON.parse(textOf(result))
      expect(reason).toBe("VALIDATION_FAILED")
      return issues[0].path
    }
    expect(await issues("get_daemon_status", {})).toBe("daemonId")
    expect(await issues("get_daemon_status", { daemonId: { a: 1 } })).toBe("daemonId")
    const halfOfPair = "\ud83d"
    expect(await issues("get_daemon_status", { daemonId: halfOfPair })).toBe("daemonId")
    expect(await issues("list_daemons", { cursor: halfOfPair })).toBe("cursor")
    expect(await issues("list_daemons", { limit: "many" })).toBe("limit")
    expect(await issues("list_daemons", { limit: { a: 1 } })).toBe("limit")
    expect(await issues("approve", { ideId: mine.daemonId, action: "perhaps" })).toBe("action")
    expect(await issues("send_command", { daemonId: mine.daemonId, type: "screenshot", prefer: 1 })).toBe("prefer")
    expect(await issues("send_command", { daemonId: mine.daemonId, type: "screenshot", idempotencyKey: 1 })).toBe(
      "idempotencyKey"
    )
  })

  it("answer a name that they do not have with -32602", async () => {
    const { status, body } = await callTool(hub, mine.key, "make_coffee")
    expect(status).toBe(200)
    expect(body.error).toMatchObject({ code: -32602, message: "Unknown tool: make_coffee" })
  })

  it("answer a daemon id that no path can hold as an unknown one", async () => {
    const { body } = await callTool(hub, mine.key, "get_daemon_status", { daemonId: "x".repeat(8_193) })
    expect(body.result).toMatchObject({ isError: true })
    expect(JSON.parse(textOf(body.result)).status).toBe(404)
  })

  it("run a call once per idempotency key", async () => {
    const given = { daemonId: mine.daemonId, type: "screenshot", idempotencyKey: "once-1" }
    const first = callTool(hub, mine.key, "send_command", given)
    ;(await mine.peer.nextCommand()).succeed({ n: 1 })
    const { commandId } = (await first).body.result.structuredContent
    const second = await callTool(hub, mine.key, "send_command", given)
    expect(second.body.result.structuredContent.commandId).toBe(commandId)
    const other = await callTool(hub, mine.key, "send_command", { ...given, type: "read_chat" })
    expect(JSON.parse(textOf(other.body.result)).reason).toBe("IDEMPOTENCY_MISMATCH")
  })

  it.each([
    ["has more than 1048576 bytes", { pad: "x".repeat(1_048_576) }],
    ["holds too many values", { dense: Array.from({ length: 10_000 }, (_, nth) => ({ [`n${nth}`]: 0 })) }]
  ])("leave out an answer that %s for a result, and say so", async (why, answered) => {
    const sent = callTool(hub, mine.key, "send_command", { daemonId: mine.daemonId, type: "screenshot" })
    ;(await mine.peer.nextCommand()).succeed(answered)
    const { result } = (await sent).body
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain(`The call was made. Its answer ${why} for a tool's result`)
  })
})
