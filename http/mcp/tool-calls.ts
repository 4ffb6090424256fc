/**
 * Calls tools, and operations by their id, for one MCP request. Owns the way from a tool's arguments to the answer of
 * its endpoint; judges nothing itself.
 */
import type { Principal } from "../../src/domain/account/principal.ts"
import type { Scope } from "../../src/domain/account/scopes.ts"
import type { Served } from "../pipeline/endpoint.ts"
import { problem } from "../pipeline/problem.ts"
import type { Answer } from "../pipeline/response.ts"
import type { InnerCalls } from "./inner-exchange.ts"
import { type Arguments, toolRequest } from "./tool-request.ts"
import type { HubTool } from "./tools.ts"

/** One MCP request: who sends it, and what it may call. */
export interface McpCall {
  readonly principal: Principal
  readonly requestId: string
  readonly inner: InnerCalls
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Told what reading an answer of an endpoint costs; its caller owes it. */
  readonly charge: (cost: number) => void
  /** Told of the scope for the lack of which an endpoint has refused. */
  readonly lacks: (scope: Scope) => void
  /** Logs what went wrong inside; no caller sees it. */
  readonly defect: (error: unknown) => void
}

/** The answer of a tool's endpoint. */
export type CallTool = (call: McpCall, tool: HubTool, given: Arguments) => Promise<Answer>
/** The same by the operation's id: `commands.get`. */
export type CallOperation = (call: McpCall, operation: string, given: Arguments) => Promise<Answer>

export const toolCalls = (
  tools: ReadonlyMap<string, HubTool>,
  endpoints: ReadonlyArray<Served>
): { readonly callTool: CallTool; readonly callOperation: CallOperation } => {
  const served = new Map(endpoints.map((one) => [one.endpoint.id, one]))
  const byOperation = new Map([...tools.values()].map((tool) => [tool.operation, tool]))
  const callTool: CallTool = (call, tool, given) => {
    const one = served.get(tool.operation)!
    const request = toolRequest(one.endpoint, tool.queryNames, given)
    return "_tag" in request ? Promise.resolve(problem(request, call.requestId)) : call.inner.call(one, request)
  }
  return { callTool, callOperation: (call, operation, given) => callTool(call, byOperation.get(operation)!, given) }
}
