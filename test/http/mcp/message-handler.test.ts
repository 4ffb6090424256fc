/** What loads the SDK of MCP, and the servers that answer by it. */
import { expect, it } from "vitest"
import { messageHandler } from "../../../http/mcp/message-handler.ts"
import type { McpCall } from "../../../http/mcp/tool-calls.ts"
import { fixtureServer } from "../../contract/mcp-conformance-tools.ts"

it("a first load that fails answers its own messages alone: the next one loads again", async () => {
  let loads = 0
  const handle = messageHandler(async () => {
    if (++loads === 1) throw new Error("no file is free")
    return fixtureServer
  })
  const answer = () =>
    handle([], { principal: { accountId: "a" } } as McpCall, { jsonrpc: "2.0", id: 1, method: "ping" })
  await expect(Promise.all([answer(), answer()])).rejects.toThrow("no file is free")
  await answer()
  await answer()
  expect(loads).toBe(2)
})

it("messages that waited for the load are answered in turns of the event loop", async () => {
  const handle = messageHandler(async () => fixtureServer)
  const call = { principal: { accountId: "a" } } as McpCall
  const happened: Array<string> = []
  const answered = (): void => {
    if (happened.push("answered") === 1) setImmediate(() => happened.push("turn"))
  }
  const answers = Array.from({ length: 4 }, (_, id) => handle([], call, { jsonrpc: "2.0", id, method: "ping" }))
  await Promise.all(answers.map((answer) => answer.then(answered)))
  expect(happened).toContain("turn")
})
