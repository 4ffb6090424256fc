/**
 * Callers of a hub's MCP endpoint: the official SDK's client, and messages written by hand. Owns how each presents
 * itself; asserts nothing.
 */
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
// a hub in this process would load it with its first message, and hear nothing for seconds on a crowded machine
import "@modelcontextprotocol/server"
import type { HubAnswer, TestHub } from "./hub.ts"

/** The newest revision of the protocol. */
export const revision = "2026-07-28"
/** The last revision with a handshake. */
export const revisionWithHandshake = "2025-11-25"

/** A connected client of the SDK, which asks the hub for its newest revision. */
export const connectMcp = async (
  hub: Pick<TestHub, "url">,
  key: string,
  options: ClientOptions = { versionNegotiation: { mode: "auto" } }
): Promise<Client> => {
  const client = new Client({ name: "test", version: "1.0.0" }, options)
  const headers = { authorization: `Bearer ${key}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${hub.url}/mcp`), { requestInit: { headers } }))
  return client
}

/** What a message says of its client. */
export interface Said {
  readonly key?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly capabilities?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends one request of the newest revision, with the headers that go with it. */
export const sendMcp = (hub: Pick<TestHub, "request">, method: string, said: Said = {}): Promise<HubAnswer> => {
  const { key, params = {}, capabilities = {}, headers } = said
  const name = params["name"] ?? params["taskId"]
  return hub.request("POST", "/mcp", {
    ...(key === undefined ? {} : { key }),
    headers: {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": revision,
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
      ...headers
    },
    body: {
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": revision,
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
          "io.modelcontextprotocol/clientCapabilities": capabilities
        }
      }
    }
  })
}

/** A call of a tool. */
export const callTool = (
  hub: Pick<TestHub, "request">,
  key: string,
  name: string,
  given: object = {},
  said: Said = {}
): Promise<HubAnswer> =>
  sendMcp(hub, "tools/call", { key, ...said, params: { name, arguments: given, ...said.params } })
