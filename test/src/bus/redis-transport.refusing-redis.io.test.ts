/** A Redis that goes on passing messages and takes no writes, and one that does not let a node in. */
import { Context, Effect, Layer, Logger, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Roster } from "../../../actors/presence/roster.ts"
import { freePort } from "../../../bench/servers/free-port.ts"
import { RedisTransport } from "../../../src/bus/redis-transport.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { answers, type BusNode, startBusNode } from "../../support/bus-nodes.ts"
import { makeWorld } from "../../support/daemon-services.ts"
import { hasRedis } from "../../support/redis-server.ts"
import { until } from "../../support/until.ts"
import { useRedis } from "../../support/use-started.ts"

/** Of a line that falls soon, as it must here. */
const silenceMillis = 3_000
const graceMillis = 100
const password = "hunter2hunter2"

describe.runIf(hasRedis)("a Redis that takes no writes", () => {
  const redis = useRedis()
  const nodes: Array<BusNode> = []
  afterAll(async () => {
    for (const one of nodes) await one.close()
  })

  it.each([
    [
      "its memory is full",
      () => redis.call("CONFIG", "SET", "maxmemory", 1),
      () => redis.call("CONFIG", "SET", "maxmemory", 0)
    ],
    [
      "it became a replica",
      async () => redis.call("REPLICAOF", "127.0.0.1", await freePort()),
      () => redis.call("REPLICAOF", "NO", "ONE")
    ]
  ])(
    "for %s counts as away: daemons go as ever, and are reached over nodes once it takes them again",
    async (_, refuse, admit) => {
      for (const before of nodes.splice(0)) await before.close()
      await admit()
      await redis.call("FLUSHALL")
      const world = makeWorld()
      const [one, other] = [
        await startBusNode(world, redis.url, graceMillis, silenceMillis),
        await startBusNode(world, redis.url, graceMillis, silenceMillis)
      ]
      nodes.push(one, other)
      const [stays, goes] = [world.enrol(), world.enrol()]
      const peer = await one.connect(stays.token, "stays")
      const gone = await one.connect(goes.token, "goes")
      await until("both are told", () => one.told("stays").length === 1 && one.told("goes").length === 1)
      await refuse()
      await until("both find it away", () => one.wire.away() && other.wire.away())
      const [, here] = await Promise.all([answers(peer, 1), one.command(stays.accountId, stays.daemonId)])
      expect(here).toMatchObject({ value: { result: 1 } })
      gone.link.closed(1006)
      await until("the grace is over", () =>
        one.run(Effect.map(Roster, (roster) => roster.find(goes.daemonId) === undefined))
      )
      await until("the end is told", () => one.told("goes").includes("disconnected"))
      await admit()
      await until("both find it back", () => !one.wire.away() && !other.wire.away())
      await until("the other lists what stayed", async () => (await other.online(stays.accountId)).includes("stays"))
      const [, again] = await Promise.all([answers(peer, 2), other.command(stays.accountId, stays.daemonId)])
      expect(again).toMatchObject({ value: { result: 2 } })
      expect([one.told("stays"), other.told("stays"), other.told("goes")]).toEqual([["connected"], [], []])
    }
  )
})

describe.runIf(hasRedis)("a Redis that does not let a node in", () => {
  const redis = useRedis()
  const ends: Array<() => Promise<void>> = []
  beforeAll(async () => {
    await redis.call("ACL", "SETUSER", "hub", "on", `>${password}`, "~*", "&*", "+@all")
    await redis.call(
      "ACL",
      "SETUSER",
      "default",
      "on",
      "nopass",
      "resetkeys",
      "resetchannels",
      "-@all",
      "+acl",
      "+info"
    )
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })

  const lines = async (
    url: string
  ): Promise<{ readonly said: ReadonlyArray<string>; readonly wire: RedisTransport["Service"] }> => {
    const said: Array<string> = []
    const log = Logger.make(({ message }) => void said.push([message].flat().map(String).join(" ")))
    const runtime = ManagedRuntime.make(
      Layer.provideMerge(
        Layer.provide(RedisTransport.layer(url, new Uint8Array(32), silenceMillis), NodeId.layer()),
        Logger.layer([log])
      )
    )
    ends.push(() => runtime.dispose())
    return { said, wire: Context.get(await runtime.context(), RedisTransport) }
  }
  const as = (user: string): string => redis.url.replace("redis://", `redis://${user}@`)

  it("is named in the log with its reason, once, never with the password, and joined as soon as it does", async () => {
    const wrong = `${password}wrong`
    await redis.call("ACL", "SETUSER", "hub", "resetpass", `>${password}`)
    const { said, wire } = await lines(as(`hub:${wrong}`))
    await until("the reason is logged", () => said.length > 0)
    expect(wire.away()).toBe(true)
    expect(said).toEqual(["Redis does not serve this node: it refuses the user or the password of REDIS_URL"])
    await redis.call("ACL", "SETUSER", "hub", `>${wrong}`)
    await until("it is let in", () => !wire.away())
    await until("it says so", () => said.at(-1) === "the bus is connected")
    expect(said.filter((line) => line.startsWith("Redis does not serve")).length).toBe(1)
    expect(said.join("\n")).not.toContain(password)
  })

  it("lets one in that may do nothing, and the log says so", async () => {
    const { said, wire } = await lines(redis.url)
    await until("the reason is logged", () => said.length > 0)
    expect(wire.away()).toBe(true)
    expect(said).toEqual([
      "Redis does not serve this node: it does not permit the user of REDIS_URL what the hub needs"
    ])
  })
})
