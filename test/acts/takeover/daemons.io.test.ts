/** Daemons over several nodes that share a store and a Redis, whichever form of it. */
import { Effect, Exit } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { Roster } from "../../../actors/presence/roster.ts"
import { answers, type BusNode, startBusNode } from "../../support/bus-nodes.ts"
import { makeWorld } from "../../support/daemon-services.ts"
import { hasRedis } from "../../support/redis-server.ts"
import { until } from "../../support/until.ts"
import { useRedis } from "../../support/use-started.ts"

const shortGraceMillis = 100
const longGraceMillis = 600_000

const failure = (exit: Exit.Exit<unknown, unknown>): unknown =>
  Exit.isFailure(exit) ? (exit.cause.reasons[0] as unknown as { error: { _tag: string } }).error._tag : "none"

const isNotAt = ({ run }: BusNode, daemonId: string): Promise<boolean> =>
  run(Effect.map(Roster, (roster) => roster.find(daemonId) === undefined))

describe.runIf(hasRedis).each([
  ["one Redis", {}],
  ["a Redis Cluster", { cluster: true }]
])("daemons over nodes and %s", (form, options) => {
  const redis = useRedis(options)
  let world: ReturnType<typeof makeWorld>
  const nodes: Array<BusNode> = []
  beforeAll(async () => {
    world = makeWorld()
  })
  // nobody is there but the nodes of this try, and Redis is, whatever one that failed has left
  beforeEach(async () => {
    await redis.start()
    for (const one of nodes.splice(0)) await one.close()
  })
  afterAll(async () => {
    for (const one of nodes) await one.close()
  })

  const node = async (graceMillis = longGraceMillis, url = redis.url, on = world): Promise<BusNode> => {
    const made = await startBusNode(on, url, graceMillis)
    nodes.push(made)
    return made
  }

  it("are listed and commanded from any node, by their own account only", async () => {
    const [one, other] = [await node(), await node()]
    const { accountId, daemonId, token } = world.enrol()
    const peer = await one.connect(token, "box1")
    await until("the other node lists it", async () => (await other.online(accountId)).includes("box1"))
    const [, exit] = await Promise.all([answers(peer, 42), other.command(accountId, daemonId)])
    expect(exit).toMatchObject({ value: { success: true, result: 42 } })
    const { accountId: stranger } = world.enrol()
    expect(failure(await other.command(stranger, daemonId))).toBe("NotFound")
    expect(await other.online(stranger)).toEqual([])
    const { accountId: owner, daemonId: offline } = world.enrol()
    expect(failure(await other.command(owner, offline))).toBe("DaemonOffline")
    expect(one.told("box1")).toEqual(["connected"])
  })

  it("move: the older connection closes with 4409, nothing is told twice, and every node finds the new place", async () => {
    const [one, other, third] = [await node(), await node(), await node()]
    const { accountId, daemonId, token } = world.enrol()
    const older = await one.connect(token, "box2")
    await Promise.all([answers(older, 1), third.command(accountId, daemonId)])
    const newer = await other.connect(token, "box2")
    await until("the older one is closed", () => older.closes.includes(4409))
    for (const from of [one, third]) {
      const [, exit] = await Promise.all([answers(newer, 2), from.command(accountId, daemonId)])
      expect(exit).toMatchObject({ value: { result: 2 } })
    }
    newer.link.closed(1000)
    await until("its end is told", () => other.told("box2").includes("disconnected"))
    expect(one.told("box2")).toEqual(["connected"])
    expect(other.told("box2")).toEqual(["disconnected"])
  })

  it("of a node that ended are taken over, and one that comes back elsewhere never went away", async () => {
    const [one, other, third] = [await node(), await node(), await node()]
    const { accountId, daemonId, token } = world.enrol()
    await one.connect(token, "box5")
    await one.close()
    expect(failure(await other.command(accountId, daemonId))).toBe("DaemonSocketLost")
    const peer = await other.connect(token, "box5")
    // which may have taken it over before it came
    await until("it is on the other node alone", () => isNotAt(third, daemonId))
    const [, exit] = await Promise.all([answers(peer, 5), third.command(accountId, daemonId)])
    expect(exit).toMatchObject({ value: { result: 5 } })
    peer.link.closed(1000)
    await until("its end is told", () => other.told("box5").length > 0)
    expect(nodes.flatMap((each) => each.told("box5")).sort()).toEqual(["connected", "disconnected"])
  })

  // a Cluster has one database, and this one takes time
  if (form !== "one Redis") return

  it("of a node that ended, not back within the grace, are told as gone by one survivor", async () => {
    const url = redis.url.replace("/0", "/1")
    const apart = makeWorld()
    // the first ends none itself, however long its own end takes
    const [one, other, third] = [
      await node(longGraceMillis, url, apart),
      await node(shortGraceMillis, url, apart),
      await node(shortGraceMillis, url, apart)
    ]
    const lost = Array.from({ length: 20 }, (_, at) => ({ ...apart.enrol(), name: `gone${at}.` }))
    for (const { token, name } of lost) await one.connect(token, name)
    await one.close()
    const told = (name: string) => [...other.told(name), ...third.told(name)]
    await until("the end of each is told", () => lost.every(({ name }) => told(name).length > 0))
    for (const { name } of lost) {
      expect(one.told(name)).toEqual(["connected"])
      expect(told(name)).toEqual(["disconnected"])
    }
  })

  it("are commanded on their own node while Redis is away, and come, move and go as ever", async () => {
    const [one, other] = [await node(shortGraceMillis), await node()]
    const { accountId, daemonId, token } = world.enrol()
    const lost = world.enrol()
    const peer = await one.connect(token, "box7")
    const gone = await one.connect(lost.token, "box8")
    await until("both are told", () => one.told("box7").length === 1 && one.told("box8").length === 1)
    await redis.kill()
    await until("the loss is noticed", () => one.wire.away() && other.wire.away())
    const [, exit] = await Promise.all([answers(peer, 7), one.command(accountId, daemonId)])
    expect(exit).toMatchObject({ value: { result: 7 } })
    gone.link.closed(1006)
    await until("its end is told", () => one.told("box8").includes("disconnected"))
    const moved = await other.connect(token, "box7")
    expect(other.told("box7")).toEqual([])
    await until("the older connection is closed by the store's word", () => peer.closes.includes(4409))
    await redis.start()
    await until("both nodes hear each other again", () => !one.wire.away() && !other.wire.away())
    await until("the older node finds it elsewhere", async () => {
      return (await isNotAt(one, daemonId)) && (await one.online(accountId)).includes("box7")
    })
    // a node asks another only once it has read that this one is back on the bus
    const again = async () => {
      const exit = await one.command(accountId, daemonId)
      return Exit.isSuccess(exit) && exit
    }
    const [, answered] = await Promise.all([answers(moved, 8), until("it is commanded there", again)])
    expect(answered).toMatchObject({ value: { result: 8 } })
    expect(other.told("box7")).toEqual([])
    expect(one.told("box7")).toEqual(["connected"])
    expect([...one.told("box8"), ...other.told("box8")]).toEqual(["connected", "disconnected"])
  })
})
