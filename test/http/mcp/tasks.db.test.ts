/** Commands that outlive their call as tasks of MCP, and for clients without tasks as commands. */
import { describe, expect } from "vitest"
import { commandKeepMillis } from "../../../src/limits/commands.ts"
import { taskPollMillis } from "../../../src/limits/mcp.ts"
import { given } from "../../support/given.ts"
import type { HubAnswer } from "../../support/hub.ts"
import { callTool, sendMcp } from "../../support/mcp-client.ts"
import { keptCommands } from "../../support/stored-commands.ts"

const { hub, connected, ended, endedInTime } = keptCommands()
type Mine = Awaited<ReturnType<typeof connected>>

const tasks = { capabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } }
const start = (
  { key, daemonId }: Mine,
  said: object = tasks,
  name = "send_command",
  more: object = {}
): Promise<HubAnswer> =>
  callTool(hub, key, name, { daemonId, type: "screenshot", prefer: "respond-async", ...more }, said)
const ask = ({ key }: Mine, method: string, taskId: string, said: object = tasks): Promise<HubAnswer> =>
  sendMcp(hub, method, { key, ...said, params: { taskId } })
const begun = async (mine: Mine): Promise<string> => (await start(mine)).body.result.taskId

describe("a command that outlives its call", () => {
  given(connected)("is a task to a client that takes tasks, whose id is the command's", async (mine) => {
    const { result } = (await start(mine)).body
    expect(result).toMatchObject({ resultType: "task", status: "working", pollIntervalMs: taskPollMillis })
    expect(result.ttlMs).toBe(3_600_000 + commandKeepMillis)
    expect(new Date(result.createdAt).getTime()).toBe(hub.now())
    const working = (await ask(mine, "tasks/get", result.taskId)).body.result
    expect(working).toMatchObject({ resultType: "complete", taskId: result.taskId, status: "working" })
    const command = await mine.peer.nextCommand()
    expect(command.id).toBe(result.taskId)
    command.succeed({ bytes: 7 })
    await ended(mine, result.taskId)
    const done = (await ask(mine, "tasks/get", result.taskId)).body.result
    expect(done).toMatchObject({ resultType: "complete", status: "completed" })
    expect(done.result.structuredContent).toMatchObject({
      success: true,
      result: { bytes: 7 },
      commandId: result.taskId
    })
    expect(JSON.parse(done.result.content[0].text)).toEqual(done.result.structuredContent)
  })

  given(connected)("is a command to any other client, which get_command reads", async (mine) => {
    const { structuredContent } = (await start(mine, {})).body.result
    expect(structuredContent).toMatchObject({ state: "pending", daemonId: mine.daemonId })
    ;(await mine.peer.nextCommand()).succeed({ n: 1 })
    await ended(mine, structuredContent.commandId)
    const { commandId } = structuredContent
    const read = await callTool(hub, mine.key, "get_command", { commandId })
    expect(read.body.result.structuredContent).toMatchObject({ state: "succeeded", result: { n: 1 } })
  })

  given(connected)("is completed with the daemon's refusal as an error of the tool", async (mine) => {
    const taskId = await begun(mine)
    ;(await mine.peer.nextCommand()).refuse("no screen", "no_screen")
    await ended(mine, taskId)
    const { status, result } = (await ask(mine, "tasks/get", taskId)).body.result
    expect(status).toBe("completed")
    expect(result).toMatchObject({ isError: true, structuredContent: { error: "no screen", daemonCode: "no_screen" } })
  })

  given(connected)("is completed with an error where the hub does not know how it ended", async (mine) => {
    const { taskId } = (await start(mine, tasks, "send_command", { timeoutSeconds: 5 })).body.result
    await endedInTime(mine, taskId)
    const { status, result } = (await ask(mine, "tasks/get", taskId)).body.result
    expect([status, result.isError]).toEqual(["completed", true])
    expect(JSON.parse(result.content[0].text)).toMatchObject({ state: "timed_out" })
  })

  given(connected)("is cancelled as a task, and the daemon is told", async (mine) => {
    const taskId = await begun(mine)
    await mine.peer.nextCommand()
    const { result } = (await ask(mine, "tasks/cancel", taskId)).body
    expect(result.resultType).toBe("complete")
    expect((await mine.peer.nextFrame("command_cancel")).data).toEqual({ id: taskId })
    mine.peer.send("command_result", { id: taskId, success: false, error: "cancelled", code: "cancelled" })
    await ended(mine, taskId)
    expect((await ask(mine, "tasks/get", taskId)).body.result.status).toBe("cancelled")
    expect((await ask(mine, "tasks/cancel", taskId)).body.result.resultType).toBe("complete")
  })

  given(connected)("asks nothing, so an update of its task changes nothing", async (mine) => {
    const taskId = await begun(mine)
    expect((await ask(mine, "tasks/update", taskId)).body.result.resultType).toBe("complete")
    expect((await ask(mine, "tasks/get", taskId)).body.result.status).toBe("working")
  })

  given(connected)("is no task to a client that does not say that it takes tasks", async (mine) => {
    const taskId = await begun(mine)
    const { error } = (await ask(mine, "tasks/get", taskId, {})).body
    expect(error.code).toBe(-32021)
    expect(error.data.requiredCapabilities).toEqual({ extensions: { "io.modelcontextprotocol/tasks": {} } })
  })

  given(connected)("is refused like the REST call where it cannot be sent", async (mine) => {
    await mine.peer.leave()
    const { result } = (await start(mine)).body
    expect(JSON.parse(result.content[0].text)).toMatchObject({ reason: "DAEMON_OFFLINE" })
  })
})
