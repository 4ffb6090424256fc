/** Chats and stored commands: what is said in a chat never enters the store; approvals are bound to their prompt. */
import { describe, expect, it } from "vitest"
import { inTurn, reported } from "../../support/connected-daemon.ts"
import { keptCommands } from "../../support/stored-commands.ts"
import { until } from "../../support/until.ts"

const { hub, connected, start, read, acknowledged } = keptCommands()

const secret = "what the agent said"
const rows = () =>
  hub.sql((sql) => sql<{ row: string }>`select id || coalesce(result, '') || coalesce(error, '') as row from commands`)

describe("a chat", () => {
  it("is read by a call that waits, whatever the caller prefers", async () => {
    const { peer, ...mine } = await connected()
    const answer = start(mine, { body: { type: "read_chat", payload: {}, timeoutSeconds: 5 } })
    const sent = await peer.nextCommand()
    expect(sent).toMatchObject({ type: "read_chat", deadlineMs: 5_000 })
    expect(peer.frames.at(-1)!.data).not.toHaveProperty("durable")
    sent.succeed({ messages: [secret] })
    const { status, headers, body } = await answer
    expect([status, body.result]).toEqual([200, { messages: [secret] }])
    expect([headers.get("preference-applied"), headers.get("location")]).toEqual([null, null])
    expect((await read(mine, body.commandId)).status).toBe(404)
  })

  it("that comes after its call timed out is dropped: the 504 has no place, and there is no row", async () => {
    const { peer, account, daemonId, command, ...mine } = await connected()
    const key = await account.key(["agent:read"])
    const page = hub.request("GET", `/api/v1/shortcuts/${daemonId}:session:s1/chat/debug`, { key })
    const calls = [command("read_chat"), page]
    const sent = [await peer.nextCommand(), await peer.nextCommand()]
    await hub.advance(60_100)
    for (const call of calls) {
      const { status, headers, body } = await call
      expect([status, headers.get("location")]).toEqual([504, null])
      expect((await read({ ...mine }, body.commandId)).status).toBe(404)
    }
    for (const { succeed } of sent) succeed({ messages: [secret], bundle: {}, text: secret })
    await inTurn(peer)
    expect((await rows()).filter(({ row }) => row.includes(secret) || sent.some(({ id }) => row.includes(id)))).toEqual(
      []
    )
  })

  it("leaves the ids of the answer to a message that was sent to it", async () => {
    const { peer, ...mine } = await connected()
    const { commandId } = (await start(mine, { body: { type: "send_chat", payload: { message: secret } } })).body
    ;(await peer.nextCommand()).succeed({ accepted: true, messageId: "msg_7", reply: secret })
    await acknowledged(peer)
    expect((await read(mine, commandId)).body.result).toEqual({ accepted: true, messageId: "msg_7" })
    const cancelled = await mine.post(`/api/v1/commands/${commandId}/cancel`, {})
    expect(cancelled).toMatchObject({ status: 200, body: { warnings: [expect.stringContaining("interrupt")] } })
    expect((await rows()).filter(({ row }) => row.includes(secret))).toEqual([])
  })
})

it("an approval that does not wait is refused, and not sent, when another prompt waits than the one that was seen", async () => {
  const { peer, ...mine } = await connected()
  const activeModal = { promptId: "prompt-2", message: "Push?", buttons: ["Yes", "No"] }
  peer.report([reported("s1", { status: "waiting_approval", activeModal })])
  const target = `/api/v1/shortcuts/${mine.daemonId}:session:s1/status`
  await until("it is known", async () => (await mine.get(target)).body.status === "waiting_approval")
  const approve = (promptId: string) =>
    start(mine, { body: { type: "resolve_action", payload: { action: "approve", promptId, targetSessionId: "s1" } } })
  const stale = await approve("prompt-1")
  expect([stale.status, stale.body.reason]).toEqual([409, "PROMPT_CHANGED"])
  expect((await mine.get("/api/v1/commands")).body.commands).toEqual([])
  expect((await approve("prompt-2")).status).toBe(202)
  expect((await peer.nextCommand()).payload).toMatchObject({ promptId: "prompt-2" })
  expect(peer.frames.filter(({ type }) => type === "command")).toHaveLength(1)
})
