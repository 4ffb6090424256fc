/**
 * Answers the messages of MCP by its SDK, which is loaded at the first of them: its schemas would take a twentieth of
 * the CPU of each start (`./hub bench start`). Owns the way between a message and the SDK's handler.
 */
import type { AuthInfo } from "@modelcontextprotocol/server"
import { Effect } from "effect"
import { mcpPaths } from "../../src/auth/oauth/issuer.ts"
import { mcpMessageSteps } from "../../src/limits/mcp.ts"
import { workTurns } from "../../src/runtime/work-turns.ts"
import { Answer } from "../pipeline/response.ts"
import type { ServerOf } from "./server.ts"
import type { McpCall } from "./tool-calls.ts"

/** Answers a message that came with these headers. */
export type HandleMessage = (
  headers: ReadonlyArray<readonly [name: string, value: string]>,
  call: McpCall,
  message: unknown
) => Promise<Answer>

const requestOf = (headers: Parameters<HandleMessage>[0]): Request => {
  const given = headers.filter(([, value]) => value !== "").map(([name, value]): [string, string] => [name, value])
  return new Request(`http://hub${mcpPaths[0]}`, { method: "POST", headers: given })
}

const answerOf = async (response: Response): Promise<Answer> => {
  const type = response.headers.get("content-type")
  const text = await response.text()
  return new Answer(response.status, type === null ? [] : [["content-type", type]], text === "" ? undefined : text)
}

const load = async (servers: () => Promise<ServerOf>): Promise<HandleMessage> => {
  const [{ createMcpHandler }, { hideInternalFailures }, serverOf] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("./known-failures.ts"),
    servers()
  ])
  const handler = createMcpHandler(({ authInfo }) => {
    const call = authInfo!.extra!["call"] as McpCall
    return hideInternalFailures(call, () => serverOf(call))
  })
  return async (headers, call, message) => {
    const authInfo: AuthInfo = { token: "", clientId: call.principal.accountId, scopes: [], extra: { call } }
    return answerOf(await handler.fetch(requestOf(headers), { authInfo, parsedBody: message }))
  }
}

/** Answers by the servers that these give, which are loaded once; after a failure the next message tries again. */
export const messageHandler = (servers: () => Promise<ServerOf>): HandleMessage => {
  let loaded: Promise<HandleMessage> | undefined
  return async (headers, call, message) => {
    loaded ??= load(servers).catch((error: unknown) => {
      loaded = undefined
      throw error
    })
    const handle = await loaded
    // behind that: those who waited for it would else go on together
    await Effect.runPromise(workTurns.turn(call.principal.accountId, mcpMessageSteps))
    return handle(headers, call, message)
  }
}
