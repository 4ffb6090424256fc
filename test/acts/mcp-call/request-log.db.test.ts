/** Tool calls in the request log of their account: each as the operation that it is, the message itself not at all. */
import { expect, it } from "vitest"
import { useHub } from "../../support/hub.ts"
import { callTool, sendMcp } from "../../support/mcp-client.ts"
import { until } from "../../support/until.ts"

const hub = useHub({ virtual: true })

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
