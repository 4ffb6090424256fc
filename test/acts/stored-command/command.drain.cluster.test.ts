/** docs/daemon-protocol.md: commands that outlive their call, and a node that drains. */
import { describe, expect, it } from "vitest"
import { startHub, useHub } from "../../support/hub.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"
import { useDatabase, useRedis } from "../../support/use-started.ts"

describe("a daemon that is sent away", () => {
  const redis = useRedis()
  const database = useDatabase()
  const stays = useHub(() => ({ database, settings: { redisUrl: redis.url } }))

  const started = async (capabilities: ReadonlyArray<string>) => {
    const leaves = await startHub({ database, settings: { redisUrl: redis.url, drainMillis: 80_000 } })
    const { account, key } = await stays.withKey(["ide:control"])
    const { daemonId, token } = await account.daemonToken()
    const peer = await connectDaemon(leaves, token, { auth: { capabilities }, report: [] })
    const { body } = await leaves.request("POST", `/api/v1/daemons/${daemonId}/command`, {
      key,
      body: { type: "screenshot" },
      headers: { prefer: "respond-async" }
    })
    const { succeed } = await peer.nextCommand()
    const becomes = (state: string) =>
      until(`it is ${state}`, async () => {
        const read = await stays.request("GET", `/api/v1/commands/${body.commandId}`, { key })
        return read.body.state === state
      })
    return { leaves, peer, succeed, becomes, token, commandId: body.commandId as string }
  }

  it("P111: stays for a command that is not durable", async () => {
    const { leaves, peer, succeed, becomes } = await started([])
    const idle = await connectDaemon(leaves, (await (await stays.account()).daemonToken()).token, { report: [] })
    const closing = leaves.close()
    await peer.nextFrame("reconnect")
    // past its slot and the second that it has beyond
    expect((await idle.closed).code).toBe(1012)
    expect(peer.socket.readyState).toBe(peer.socket.OPEN)
    succeed("in time")
    await becomes("succeeded")
    expect((await peer.closed).code).toBe(1012)
    await closing
  })

  it("P111: goes with a durable one, and gives its result where it comes to", async () => {
    const { leaves, peer, becomes, token, commandId } = await started(["durable_commands"])
    const closing = leaves.close()
    await peer.nextFrame("reconnect")
    expect((await peer.closed).code).toBe(1012)
    const capabilities = ["durable_commands"]
    const after = await connectDaemon(stays, token, { auth: { capabilities, commands: [commandId] }, report: [] })
    after.send("command_result", { id: commandId, success: true })
    await becomes("succeeded")
    expect(after.frames.filter(({ type }) => type === "command")).toEqual([])
    await closing
  })
})
