/** MCP on two nodes: any node answers any message, because none of them keeps anything of a client. */
import { describe, expect, it } from "vitest"
import { prompt, said, user } from "../../support/agent-waits.ts"
import { reported } from "../../support/connected-daemon.ts"
import { callTool, sendMcp } from "../../support/mcp-client.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { useTwoHubs } from "../../support/two-hubs.ts"
import { until } from "../../support/until.ts"

const clientOf = (capabilities: object) => ({ capabilities })

describe("the MCP endpoint of two nodes", () => {
  const hubs = useTwoHubs()
  const { one, other } = hubs

  const owner = async () => {
    const { account, key } = await one.withKey(["ide:read", "ide:control", "agent:read", "agent:control"])
    const { daemonId, token } = await account.daemonToken()
    const auth = { capabilities: ["durable_commands", "command_cancel"] }
    const peer = await connectDaemon(one, token, { auth, report: [reported("s1")] })
    await until("the other node knows its agent", async () => {
      const { body } = await callTool(other, key, "get_daemon_status", { daemonId })
      return body.result.structuredContent?.agents?.length === 1
    })
    return { key, daemonId, peer }
  }

  it("knows a task that the other node began", async () => {
    const { key, daemonId, peer } = await owner()
    const tasks = clientOf({ extensions: { "io.modelcontextprotocol/tasks": {} } })
    const given = { daemonId, type: "screenshot", prefer: "respond-async" }
    const { taskId } = (await callTool(other, key, "send_command", given, tasks)).body.result
    ;(await peer.nextCommand()).succeed({ n: 1 })
    const done = await until("the task is completed", async () => {
      const { result } = (await sendMcp(one, "tasks/get", { key, ...tasks, params: { taskId } })).body
      return result.status === "completed" ? result : undefined
    })
    expect(done.result.structuredContent.result).toEqual({ n: 1 })
  })

  it("goes on with a question that the other node asked", async () => {
    const { key, daemonId, peer } = await owner()
    const forms = clientOf({ elicitation: { form: {} } })
    const given = { ideId: `${daemonId}:session:s1`, message: "go", wait: "approval" }
    const sent = callTool(one, key, "send_chat_message", given, forms)
    ;(await peer.nextCommand()).succeed({ messageId: "m1" })
    peer.report([reported("s1", { status: "waiting_approval", activeModal: prompt })])
    const read = await peer.nextCommand()
    read.succeed({ messages: [user, said], status: "waiting_approval", activeModal: prompt })
    const { requestState } = (await sent).body.result
    const params = { requestState, inputResponses: { approval: { action: "accept", content: { choice: "approve" } } } }
    const replied = callTool(other, key, "send_chat_message", given, { ...forms, params })
    const command = await peer.nextCommand()
    expect(command.payload).toMatchObject({ action: "approve", promptId: "p1" })
    command.succeed({})
    peer.report([reported("s1", { status: "idle" })])
    expect((await replied).body.result.structuredContent).toMatchObject({ success: true, status: "idle" })
  })
})
