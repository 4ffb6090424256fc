/**
 * The MCP server of one request: lists the tools that the caller's scopes allow and calls them. Owns the protocol's
 * methods; the SDK owns the messages, tool-calls.ts the way to the endpoints. It lives as long as its request.
 */
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
  type StandardSchemaV1
} from "@modelcontextprotocol/server"
import type { Seal } from "../../src/auth/secret-box.ts"
import { toolListMillis } from "../../src/limits/mcp.ts"
import { isRecord } from "../../src/protocol/is-record.ts"
import type { Served } from "../pipeline/endpoint.ts"
import { approvalQuestions, askingOperation, waitsForApproval } from "./approval-question.ts"
import { hideInternalFailures } from "./known-failures.ts"
import { startedTask, taskMethods, tasksExtension } from "./tasks.ts"
import { type McpCall, toolCalls } from "./tool-calls.ts"
import type { Arguments } from "./tool-request.ts"
import { toolResult, valueOf } from "./tool-result.ts"
import { preferArgument } from "./tool-schemas.ts"
import { type HubTool, type HubTools, isAllowed } from "./tools.ts"

const instructions =
  "A hub connects the daemons of one account: machines with IDEs, CLIs and agents. Begin with list_daemons; its ids are what the other tools take. " +
  "An agent is addressed as ideId: <daemonId>:session:<sessionId>, as get_daemon_status shows it. " +
  "An agent that is waiting_approval is answered by approve. Commands that take long: prefer=respond-async, then get_command."

/** Makes the server of one request. */
export type ServerOf = (call: McpCall) => Server

// the SDK has read them by their schema, and gives the envelope no type
const clientCapabilities = ({ mcpReq }: ServerContext): ClientCapabilities =>
  (mcpReq.envelope as Readonly<Record<string, ClientCapabilities>> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}

const hasTasks = (context: ServerContext): boolean =>
  clientCapabilities(context).extensions?.[tasksExtension] !== undefined

/** A client that says nothing of the form of its questions shows forms. */
const takesForms = (context: ServerContext): boolean => {
  const { elicitation } = clientCapabilities(context)
  return elicitation !== undefined && (elicitation.form !== undefined || Object.keys(elicitation).length === 0)
}

const lacksTasks = (): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.MissingRequiredClientCapability, "Missing required client capability", {
    requiredCapabilities: { extensions: { [tasksExtension]: {} } }
  })

/** The parameters of the methods of tasks, as the SDK takes a schema. */
const taskParams: StandardSchemaV1<unknown, { readonly taskId: string }> = {
  "~standard": {
    version: 1,
    vendor: "hub",
    validate: (value) => {
      const taskId = isRecord(value) ? value["taskId"] : undefined
      return typeof taskId === "string" ? { value: { taskId } } : { issues: [{ message: "taskId must be a text" }] }
    }
  }
}

/** What calls the tools of a hub. */
const hubCalls = (tools: HubTools, endpoints: ReadonlyArray<Served>, seal: Seal) => {
  const { callTool, callOperation } = toolCalls(tools, endpoints)
  const questions = approvalQuestions(seal, callOperation)
  const run = async (
    call: McpCall,
    tool: HubTool,
    given: Arguments,
    context: ServerContext
  ): Promise<CallToolResult | InputRequiredResult | Result> => {
    const asks = tool.operation === askingOperation
    const state = asks ? context.mcpReq.requestState<string>() : undefined
    if (state !== undefined) return questions.resume(call, given, state, context.mcpReq.inputResponses)
    const answer = await callTool(call, tool, given)
    const value = asks || answer.status === 202 ? valueOf(call, answer) : undefined
    if (value !== undefined && asks && waitsForApproval(value) && takesForms(context))
      return questions.ask(call, given, value)
    const isStored = answer.status === 202 && tool.mayBeStored && given[preferArgument] !== undefined
    return value !== undefined && isStored && hasTasks(context) ? startedTask(value) : toolResult(call, answer)
  }
  return { run, tasks: taskMethods(callOperation) }
}

/** Builds what makes them. */
export const hubServers = (tools: HubTools, endpoints: ReadonlyArray<Served>, seal: Seal): ServerOf => {
  const { run, tasks } = hubCalls(tools, endpoints, seal)
  return (call) => {
    const server = new Server(
      { name: "hub", title: "Cloud automation hub", version: "1.0.0" },
      { capabilities: { tools: {}, extensions: { [tasksExtension]: {} } }, instructions }
    )
    server.setRequestHandler("tools/list", ({ params }) => {
      // all tools fit one page, so no cursor was ever given
      if (params?.cursor !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown cursor")
      const allowed = [...tools.values()].filter((tool) => isAllowed(tool, call.principal))
      return { tools: allowed.map(({ definition }) => definition), ttlMs: toolListMillis, cacheScope: "private" }
    })
    server.setRequestHandler("tools/call", ({ params }, context) => {
      const tool = tools.get(params.name)
      if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
      const ran = hideInternalFailures(call, () => run(call, tool, params.arguments ?? {}, context))
      return ran as Promise<CallToolResult>
    })
    for (const [method, handle] of Object.entries(tasks)) {
      server.setRequestHandler(method, { params: taskParams }, ({ taskId }, context) => {
        if (!hasTasks(context)) throw lacksTasks()
        return hideInternalFailures(call, () => handle(call, taskId))
      })
    }
    return server
  }
}
