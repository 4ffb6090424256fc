/** Redis killed and started empty, and Redis that hangs: each node goes on with its own daemons. */
import { beforeEach, expect, it } from "vitest"
import type { NodesDaemon } from "../../support/node-processes.ts"
import { onNodes } from "../../support/own-node-processes.ts"
import { ask } from "../../support/postgres-server.ts"
import { until } from "../../support/until.ts"

onNodes("Redis away from all nodes", { nodes: [{}, {}], within: true }, (hub) => {
  // a test that failed may have left it away
  beforeEach(() => hub.redis.start())

  const [one, other] = [0, 1]

  /** Until the store has it as online: its word is all there is without Redis. */
  const recorded = ({ daemonId }: NodesDaemon) =>
    until("it is recorded", async () => {
      const asked = `select from daemon_presence where node is not null and daemon_id = '${daemonId}'`
      return (await ask(hub.databaseUrl, asked)).length === 1
    })

  /** A daemon on each node, and one of each node that was lost just before. */
  const daemons = async () => {
    const [here, there, lost] = [await hub.daemon(one), await hub.daemon(other), await hub.daemon(one)]
    const all = [here, there, lost]
    for (const daemon of all) await until("it came", () => hub.told(daemon).includes("connect"))
    for (const [from, daemon] of [
      [one, there],
      [other, here]
    ] as const)
      await until("the other node commands it", async () => (await hub.command(from, daemon)) === 200)
    for (const daemon of all) await recorded(daemon)
    return { here, there, lost, all }
  }

  const servesItsOwn = async (here: NodesDaemon, there: NodesDaemon) => {
    await until("the other node knows that Redis is away", async () => (await hub.command(other, here)) === 503)
    await until("the one knows it, too", async () => (await hub.command(one, there)) === 503)
    expect(await hub.command(one, here)).toBe(200)
    expect(await hub.command(other, there)).toBe(200)
    expect(await hub.command(one, there)).toBe(503)
    expect((await hub.ask(one, "GET", "/readyz")).status).toBe(200)
  }

  const isOneHubAgain = async (all: ReadonlyArray<NodesDaemon>, lost: NodesDaemon) => {
    await until("the lost one is told of", () => hub.told(lost).includes("disconnect"))
    for (const daemon of all) {
      if (daemon === lost) continue
      for (const node of [one, other])
        await until("it is commanded from anywhere", async () => (await hub.command(node, daemon)) === 200)
      expect(daemon.closes()).toEqual([])
      expect(hub.told(daemon)).toEqual(["connect"])
      daemon.leave()
      await until("it left", () => hub.told(daemon).includes("disconnect"))
    }
    for (const daemon of all) expect(hub.told(daemon)).toEqual(["connect", "disconnect"])
  }

  it.each([
    ["killed and back empty", () => hub.redis.kill()],
    ["hanging for a while", () => hub.redis.pause()]
  ] as const)(
    "%s: local daemons stay, nobody is told gone, and afterwards the nodes are one again",
    async (_, takeAway) => {
      const { here, there, lost, all } = await daemons()
      await takeAway()
      await servesItsOwn(here, there)
      lost.stop()
      // 503 for as long as its grace, 500 from then on
      await until("its node has noticed", async () => (await hub.command(one, lost)) >= 500)
      for (const daemon of [here, there]) expect(hub.told(daemon)).toEqual(["connect"])
      await hub.redis.start()
      await isOneHubAgain(all, lost)
    }
  )

  it("losing all it holds: who is online is said again, and none of them is called offline meanwhile", async () => {
    const there = await hub.daemon(other)
    await until("it came", () => hub.told(there).includes("connect"))
    await recorded(there)
    await hub.redis.call("FLUSHALL")
    const statuses = new Set<number>()
    await until("it is commanded from elsewhere", async () => {
      const status = await hub.command(one, there)
      statuses.add(status)
      return status === 200
    })
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
    there.leave()
    await until("it left", () => hub.told(there).includes("disconnect"))
    expect(hub.told(there)).toEqual(["connect", "disconnect"])
  })
})
