/** Nodes whose Redis has a Sentinel: the hub goes on when its master dies. */
import { afterEach, describe, expect, it } from "vitest"
import { answers, type BusNode, startBusNode } from "../../support/bus-nodes.ts"
import { makeWorld } from "../../support/daemon-services.ts"
import { hasRedis } from "../../support/redis-server.ts"
import { until } from "../../support/until.ts"
import { useStarted } from "../../support/use-started.ts"
import { startSentinel } from "./redis-sentinel.ts"

const graceMillis = 600_000

describe.runIf(hasRedis)("nodes behind a Sentinel", () => {
  const redis = useStarted(() => startSentinel(), "test")
  const nodes: Array<BusNode> = []
  afterEach(async () => {
    for (const one of nodes.splice(0)) await one.close()
  })

  it("are one hub, and again after the master died; nothing false is told", async () => {
    const world = makeWorld()
    for (let at = 0; at < 2; at++) nodes.push(await startBusNode(world, redis.url, graceMillis))
    const [one, other] = nodes as [BusNode, BusNode]
    const { accountId, daemonId, token } = world.enrol()
    const peer = await one.connect(token, "box")
    const [, before] = await Promise.all([answers(peer, 1), other.command(accountId, daemonId)])
    expect(before).toMatchObject({ value: { result: 1 } })
    await redis.failOver()
    const answered = new Set<unknown>()
    let ended: Awaited<ReturnType<BusNode["command"]>> | undefined
    let isAsked = false
    await until("it is commanded over the new master", () => {
      if (ended?._tag === "Success") return true
      if (!isAsked || ended !== undefined) {
        isAsked = true
        ended = undefined
        void other.command(accountId, daemonId).then((exit) => {
          ended = exit
        })
      }
      for (const { id } of peer.of("command")) {
        if (!answered.has(id)) peer.say("command_result", { id, success: true, result: 2 })
        answered.add(id)
      }
      return false
    })
    expect([one.told("box"), other.told("box")]).toEqual([["connected"], []])
  })
})
