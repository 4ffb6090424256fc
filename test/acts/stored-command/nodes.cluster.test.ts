/** Commands that outlive their call on two nodes: through any node, across a move, a drain, and a kill's remains. */
import { describe, expect, it } from "vitest"
import { openEvents } from "../../support/event-stream.ts"
import type { TestHub } from "../../support/hub.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { useTwoHubs } from "../../support/two-hubs.ts"
import { until } from "../../support/until.ts"
import { useReceiver } from "../../support/use-started.ts"

const all = ["durable_commands", "command_cancel"]

describe("a command that outlives its call, on two nodes", () => {
  const hubs = useTwoHubs()
  const { one, other } = hubs
  const receiver = useReceiver()

  const owner = async () => {
    const { account, key } = await one.withKey(["ide:read", "ide:control"])
    const { daemonId, token } = await account.daemonToken()
    const connect = (hub: TestHub, commands: ReadonlyArray<string> = []): Promise<Peer> =>
      connectDaemon(hub, token, { auth: { capabilities: all, commands }, report: [] })
    const start = async (hub: TestHub): Promise<string> => {
      const path = `/api/v1/daemons/${daemonId}/command`
      const options = { key, body: { type: "screenshot" }, headers: { prefer: "respond-async" } }
      const answer = await hub.request("POST", path, options)
      expect(answer.status).toBe(202)
      return answer.body.commandId
    }
    const read = async (hub: TestHub, id: string) => (await hub.request("GET", `/api/v1/commands/${id}`, { key })).body
    return { account, key, daemonId, connect, start, read }
  }

  it("is started, read and cancelled through a node that has not its daemon", async () => {
    const { key, connect, start, read } = await owner()
    const peer = await connect(one)
    const id = await start(other)
    const { refuse } = await peer.nextCommand()
    expect((await read(other, id)).state).toBe("pending")
    const cancelled = await other.request("POST", `/api/v1/commands/${id}/cancel`, { key })
    expect(cancelled.status).toBe(202)
    expect((await peer.nextFrame("command_cancel")).data).toEqual({ id })
    refuse("ended", "cancelled")
    await until("it is cancelled", async () => (await read(other, id)).state === "cancelled")
  })

  it("is told once, to webhooks and streams that name the event, wherever it ends", async () => {
    const { account, key, connect, start } = await owner()
    const session = await account.session()
    for (const [path, wish] of [
      ["/named", { events: [], additionalEvents: ["command:completed"] }],
      ["/all", { events: ["*"] }]
    ] as const) {
      const body = { url: receiver.url(path), ...wish }
      expect((await one.request("POST", "/api/v1/webhooks", { session, body })).status).toBe(201)
    }
    const named = await openEvents(one, key, "?event=command:completed")
    const every = await openEvents(one, key)
    const peer = await connect(other)
    const id = await start(other)
    ;(await peer.nextCommand()).succeed("a secret answer")
    await until("it is told", () => receiver.at("/named").length > 0)
    const { body } = receiver.at("/named")[0]!
    expect(body.payload).toMatchObject({ commandId: id, type: "screenshot", state: "succeeded" })
    expect(JSON.stringify(body)).not.toContain("secret")
    await until("the stream has it", () => named.text().includes(id))
    await peer.leave()
    await until("what comes after is told", () => receiver.at("/all").length > 1)
    await until("the other stream has that", () => every.text().includes("daemon:disconnect"))
    expect(every.text()).not.toContain(id)
    expect(receiver.at("/all").some(({ body }) => body.event === "command:completed")).toBe(false)
    expect(receiver.at("/named")).toHaveLength(1)
    named.close()
    every.close()
  })
})
