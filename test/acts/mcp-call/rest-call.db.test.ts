/** A call of `/mcp` as the REST call that it is: in the request log, and when its client hangs up. */
import { expect, it } from "vitest"
import { Edge } from "../../../http/edge.ts"
import { knownDaemon, watched } from "../../support/agent-waits.ts"
import { useHub } from "../../support/hub.ts"
import { callTool, revisionWithHandshake, sendMcp } from "../../support/mcp-client.ts"
import { until } from "../../support/until.ts"

const hub = useHub({ virtual: true })

it("ends the wait of a call whose client hangs up", async () => {
  const mine = await knownDaemon(hub)
  const given = { ideId: `${mine.daemonId}:session:s1`, waitFor: "change" }
  const caller = new AbortController()
  const call = hub
    .request("POST", "/mcp", {
      key: mine.key,
      signal: caller.signal,
      headers: { accept: "application/json, text/event-stream", "mcp-protocol-version": revisionWithHandshake },
      body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_agent_status", arguments: given } }
    })
    .catch(() => undefined)
  await until("the call waits", async () => (await watched(hub, mine.daemonId)) === 1)
  caller.abort()
  await call
  const { server } = await hub.inside(Edge)
  await until("the hub sees the hang-up", async () => {
    await hub.advance(1_000)
    return server.exchanges.live === 0
  })
  expect(await watched(hub, mine.daemonId)).toBe(0)
})

it("shows a call as its REST call, with the key and the id of the request", async () => {
  const { key, keyId } = await (await hub.account()).keyRecord(["ide:read"])
  const { headers } = await callTool(hub, key, "get_daemon_status", { daemonId: "dmn_x" })
  await sendMcp(hub, "tools/list", { key })
  const shown = await until("the log has it", async () => {
    await hub.advance(1_000)
    const { body } = await callTool(hub, key, "list_requests")
    const { requests } = body.result.structuredContent
    return requests.length > 0 ? requests : undefined
  })
  expect(shown).toMatchObject([
    {
      operation: "daemons.status",
      method: "GET",
      path: "/api/v1/daemons/dmn_x/status",
      status: 404,
      credential: { id: keyId },
      requestId: headers.get("x-request-id")
    }
  ])
  expect(shown).toHaveLength(1)
})
