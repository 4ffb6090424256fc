/** What a message to `/mcp` costs: what its REST call costs where it makes one, else a place in the rate limit. */
import { describe, expect, it } from "vitest"
import { mcpLightValuesMax } from "../../../src/limits/mcp.ts"
import { given } from "../../support/given.ts"
import { type HubAnswer, useHub } from "../../support/hub.ts"
import { callTool, sendMcp } from "../../support/mcp-client.ts"

const perKey = 10
const perAddress = 30

describe("the cost of a message", () => {
  const settings = { rateKeyPerMinute: perKey, rateIpPerMinute: perAddress, rateIpScope: "unkeyed" } as const
  const hub = useHub({ virtual: true, settings })

  const newKey = async (): Promise<string> => (await hub.account()).key(["ide:read"])
  const left = ({ headers }: HubAnswer): number => Number(/"key";r=(\d+)/u.exec(headers.get("ratelimit") ?? "")?.[1])
  const monthLeft = ({ headers }: HubAnswer): number | undefined => {
    const found = /"month";r=(\d+)/u.exec(headers.get("ratelimit") ?? "")?.[1]
    return found === undefined ? undefined : Number(found)
  }

  given(newKey)("is that of the REST call where a tool is called", async (key) => {
    const rest = await hub.request("GET", "/api/v1/daemons", { key })
    const tool = await callTool(hub, key, "list_daemons")
    const again = await hub.request("GET", "/api/v1/daemons", { key })
    expect([left(rest), left(tool), left(again)]).toEqual([perKey - 1, perKey - 2, perKey - 3])
    expect([monthLeft(tool), monthLeft(again)]).toEqual([monthLeft(rest)! - 1, monthLeft(rest)! - 2])
  })

  given(newKey)("is that of the refusal too where the scope is lacking", async (key) => {
    const before = await hub.request("GET", "/api/v1/daemons", { key })
    const { daemonId, type } = { daemonId: "x", type: "y" }
    const refused = await callTool(hub, key, "stop_agent", { daemonId, type })
    expect(left(refused)).toBe(left(before) - 1)
    const after = await hub.request("GET", "/api/v1/daemons", { key })
    expect(monthLeft(after)).toBe(monthLeft(before)! - 1)
  })

  given(newKey)("is a place in the rate limit, and nothing of the month, where no endpoint is called", async (key) => {
    const before = await hub.request("GET", "/api/v1/daemons", { key })
    const messages = [
      await sendMcp(hub, "tools/list", { key }),
      await sendMcp(hub, "server/discover", { key }),
      await callTool(hub, key, "no_such_tool"),
      await callTool(hub, key, "get_daemon_status"),
      await hub.request("POST", "/mcp", { key, text: "{" })
    ]
    expect(messages.map(left)).toEqual([8, 7, 6, 5, 4])
    const after = await hub.request("GET", "/api/v1/daemons", { key })
    expect([left(after), monthLeft(after)]).toEqual([3, monthLeft(before)! - 1])
  })

  given(newKey)("is refused over the limit: a call in its result, any other message by HTTP", async (key) => {
    for (let n = 0; n < perKey; n++) await callTool(hub, key, "list_daemons")
    const call = await callTool(hub, key, "list_daemons")
    expect(call.status).toBe(200)
    expect(call.body.result.isError).toBe(true)
    expect(JSON.parse(call.body.result.content[0].text)).toMatchObject({
      status: 429,
      reason: "RATE_LIMITED",
      limit: perKey
    })
    const list = await sendMcp(hub, "tools/list", { key })
    expect([list.status, list.body.reason, list.headers.get("retry-after")]).toEqual([429, "RATE_LIMITED", "60"])
    expect((await callTool(hub, key, "no_such_tool")).status).toBe(429)
  })

  it("is a place more for a message of many values, which is refused before it is read further", async () => {
    const key = await newKey()
    const given = { other: Array.from({ length: mcpLightValuesMax }, () => 1) }
    expect(left(await callTool(hub, key, "list_daemons", given))).toBe(perKey - 2)
    for (let n = 2; n < perKey; n++) await callTool(hub, key, "list_daemons")
    const refused = await callTool(hub, key, "list_daemons", given)
    expect([refused.status, refused.body.reason]).toEqual([429, "RATE_LIMITED"])
  })

  it("is charged to the address without a valid credential, and for a page of an unknown origin", async () => {
    const statuses: Array<number> = []
    for (let n = 0; n < perAddress / 2 + 1; n++) {
      statuses.push((await sendMcp(hub, "tools/list", { key: "hub_wrong" })).status)
      statuses.push((await sendMcp(hub, "tools/list", { headers: { origin: "https://evil.example.com" } })).status)
    }
    expect(statuses.slice(-2)).toEqual([429, 429])
    expect(new Set(statuses)).toEqual(new Set([401, 403, 429]))
  })
})
