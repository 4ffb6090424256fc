/** A client of `/mcp` that hangs up: its call ends as the REST call would, and nothing of it stays. */
import { expect, it } from "vitest"
import { Edge } from "../../../http/edge.ts"
import { knownDaemon, watched } from "../../support/agent-waits.ts"
import { useHub } from "../../support/hub.ts"
import { revisionWithHandshake } from "../../support/mcp-client.ts"
import { until } from "../../support/until.ts"

const hub = useHub({ virtual: true })

it("ends the wait of its call", async () => {
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
