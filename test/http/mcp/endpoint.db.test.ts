/** `POST /mcp` as HTTP: methods, credentials, origins, bodies that are no message, and the headers of a message. */
import { beforeAll, describe, expect, it } from "vitest"
import { mcpBodyBytesMax, mcpValuesMax } from "../../../src/limits/mcp.ts"
import { jsonDepthMax } from "../../../src/limits.ts"
import { useHub } from "../../support/hub.ts"
import { callTool, sendMcp } from "../../support/mcp-client.ts"

const page = "https://dashboard.example.org"
const publicUrl = "https://hub.example.org"

describe("the MCP endpoint", () => {
  const hub = useHub({ settings: { corsOrigins: [page], publicUrl } })
  let key: string
  beforeAll(async () => {
    key = await (await hub.account()).key(["ide:read"])
  })
  const post = (text: string, headers: Record<string, string> = {}) =>
    hub.request("POST", "/mcp", { key, text, headers: { accept: "application/json, text/event-stream", ...headers } })

  it("takes POST only", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const { status, headers, body } = await hub.request(method, "/mcp", { key })
      expect(status).toBe(405)
      expect(headers.get("allow")).toBe("POST")
      expect(body.reason).toBe("METHOD_NOT_ALLOWED")
    }
  })

  it("is the same among the paths of the API", async () => {
    const asked = (path: string) => hub.request("POST", path, { key, text: "{" })
    const [own, api] = [await asked("/mcp"), await asked("/api/v1/mcp")]
    expect([api.status, api.text]).toEqual([own.status, own.text])
    expect((await hub.request("GET", "/api/v1/mcp", { key })).headers.get("allow")).toBe("POST")
  })

  it("wants a credential before anything else, and names the scheme", async () => {
    const none = await sendMcp(hub, "tools/list")
    expect([none.status, none.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringMatching(/^Bearer realm="hub", resource_metadata="/u)
    ])
    const wrong = await sendMcp(hub, "tools/list", { key: "hub_wrong" })
    expect([wrong.status, wrong.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringMatching(/^Bearer realm="hub", error="invalid_token", resource_metadata="/u)
    ])
  })

  it("is closed to pages of unknown origins, with a credential or without", async () => {
    const from = async (origin: string, said = {}) =>
      (await sendMcp(hub, "tools/list", { headers: { origin }, ...said })).status
    expect(await from("https://evil.example.com", { key })).toBe(403)
    expect(await from("https://evil.example.com")).toBe(403)
    expect(await from("null", { key })).toBe(403)
    expect(await from(page, { key })).toBe(200)
    expect(await from(publicUrl, { key })).toBe(200)
    expect(await from("http://localhost:6274", { key })).toBe(200)
  })

  it("answers a preflight of an allowed page with the headers of the protocol", async () => {
    const headers = { origin: page, "access-control-request-method": "POST" }
    const answer = await hub.request("OPTIONS", "/mcp", { headers })
    expect(answer.status).toBe(204)
    expect(answer.headers.get("access-control-allow-headers")).toContain("Mcp-Method, Mcp-Name, MCP-Protocol-Version")
  })

  it("answers a body that is no message with the error of JSON-RPC", async () => {
    const error = async (text: string) => {
      const { status, body } = await post(text)
      return [status, body.id, body.error.code]
    }
    expect(await error("{")).toEqual([400, null, -32700])
    expect(await error("")).toEqual([400, null, -32700])
    expect(await error("[]")).toEqual([400, null, -32600])
    expect(await error('[{"jsonrpc":"2.0","id":1,"method":"ping"}]')).toEqual([400, null, -32600])
    expect(await error("7")).toEqual([400, null, -32600])
    expect(await error('{"id":1}')).toEqual([400, null, -32600])
    expect(await error('{"jsonrpc":"2.0","id":1,"method":{"toString":1}}')).toEqual([400, null, -32600])
    const deep = "[".repeat(jsonDepthMax + 1) + "]".repeat(jsonDepthMax + 1)
    expect(await error(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${deep}}}`)).toEqual([400, null, -32600])
  })

  it("refuses a body over its bound", async () => {
    const { status, body } = await post(" ".repeat(mcpBodyBytesMax + 1))
    expect([status, body.reason, body.limit]).toEqual([413, "PAYLOAD_TOO_LARGE", mcpBodyBytesMax])
  })

  it("refuses a message of more values than its bound, and takes one below it", async () => {
    const listed = (values: number) =>
      callTool(hub, key, "list_daemons", { other: Array.from({ length: values }, () => 1) })
    const { status, body } = await listed(mcpValuesMax)
    expect([status, body.id, body.error.code]).toEqual([400, null, -32600])
    expect((await listed(mcpValuesMax - 100)).body.result.structuredContent.daemons).toEqual([])
  })

  it("wants JSON, and a caller that takes JSON", async () => {
    const message = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    expect((await post(message, { "content-type": "text/plain" })).status).toBe(415)
    expect((await post(message, { accept: "text/html" })).status).toBe(406)
  })

  it("takes notifications without an answer", async () => {
    const { status, text } = await post('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    expect([status, text]).toEqual([202, ""])
  })

  it("has no pages of tools, so it knows no cursor", async () => {
    const { body } = await sendMcp(hub, "tools/list", { key, params: { cursor: "x" } })
    expect(body.error.code).toBe(-32602)
  })

  it("names each answer by the id of its request", async () => {
    const headers = { "x-request-id": "request-of-mine" }
    const { headers: got, body } = await callTool(hub, key, "get_daemon_status", { daemonId: "no" }, { headers })
    expect(got.get("x-request-id")).toBe("request-of-mine")
    expect(JSON.parse(body.result.content[0].text).requestId).toBe("request-of-mine")
  })
})
