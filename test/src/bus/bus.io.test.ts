/** The bus, in memory and over Redis: one set of sentences for all. */
import { Context, Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { Bus } from "../../../src/bus/bus.ts"
import { layerRedis } from "../../../src/bus/layer.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import { RedisTransport } from "../../../src/bus/redis-transport.ts"
import { defaultSettings } from "../../../src/config.ts"
import { layerLog } from "../../../src/runtime/log.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { hasRedis, startRedis, type TestRedis } from "../../support/redis-server.ts"
import { until } from "../../support/until.ts"
import { useRedis } from "../../support/use-started.ts"

interface Node {
  readonly heard: Array<string>
  readonly publish: (keyId: string) => Promise<void>
  readonly close: () => Promise<void>
}

const quiet = layerLog({ ...defaultSettings, logLevel: "none" }, true)

const startNode = async (layer: Layer.Layer<Bus>, joins = true): Promise<Node> => {
  const heard: Array<string> = []
  const listening = Layer.effectDiscard(
    Effect.gen(function* () {
      const bus = yield* Bus
      yield* bus.subscribe("key_changed", () => {
        throw new Error("a bug")
      })
      yield* bus.subscribe("key_changed", ({ keyId }) => heard.push(keyId))
      yield* bus.subscribe("account_changed", ({ accountId }) => heard.push(`account ${accountId}`))
      yield* bus.gaps(() => heard.push("a gap"))
    })
  )
  const runtime = ManagedRuntime.make(Layer.provideMerge(listening, layer).pipe(Layer.provideMerge(quiet)))
  const wire = Context.getOrUndefined(await runtime.context(), RedisTransport)
  if (wire !== undefined && joins) await until("the node has joined", () => !wire.away())
  return {
    heard,
    publish: (keyId) => runtime.runPromise(Effect.map(Bus, (bus) => bus.publish("key_changed", { keyId }))),
    close: () => runtime.dispose()
  }
}

/** A crowded machine must not take the nodes apart. */
const patienceMillis = 15_000

const overRedis = (redis: TestRedis): Layer.Layer<Bus> =>
  Layer.provideMerge(
    layerRedis,
    Layer.provide(RedisTransport.layer(redis.url, new Uint8Array(32), patienceMillis), NodeId.layer())
  )

const kinds: ReadonlyArray<readonly [string, (() => Promise<TestRedis>) | undefined]> = [
  ["memory", undefined],
  ...(hasRedis
    ? ([
        ["one Redis", () => startRedis()],
        ["a Redis Cluster", () => startRedis({ cluster: true })]
      ] as const)
    : [])
]

describe.each(kinds)("the bus over %s", (_, server) => {
  let redis: TestRedis | undefined
  const nodes: Array<Node> = []
  const node = async (): Promise<Node> => {
    const one = await startNode(redis === undefined ? layerMemory : overRedis(redis))
    nodes.push(one)
    return one
  }
  beforeAll(async () => {
    redis = await server?.()
  })
  afterAll(async () => {
    for (const one of nodes) await one.close()
    await redis?.close()
  })

  it("is heard on its own node before publish returns, once, also beside a listener that throws", async () => {
    const one = await node()
    await one.publish("a")
    await one.publish("b")
    // one that joins late is told of a gap
    expect(one.heard.filter((what) => what !== "a gap")).toEqual(["a", "b"])
  })

  if (server === undefined) return

  it("is heard by every other node, in order, once", async () => {
    const [one, other, third] = [await node(), await node(), await node()]
    for (let at = 0; at < 100; at++) await one.publish(String(at))
    await other.publish("from the other")
    const all = Array.from({ length: 100 }, (_, at) => String(at))
    const own = (said: ReadonlyArray<string>) => said.filter((what) => /^\d+$/u.test(what))
    for (const { heard } of [one, other, third]) {
      await until("all is heard", () => heard.includes("from the other") && heard.includes("99"))
      expect(own(heard)).toEqual(all)
    }
  })
})

describe.runIf(hasRedis)("while Redis is away", () => {
  const redis = useRedis()
  const nodes: Array<Node> = []
  const node = async (joins = true): Promise<Node> => {
    const one = await startNode(overRedis(redis), joins)
    nodes.push(one)
    return one
  }
  // a test that failed may have left it away
  beforeEach(() => redis.start())
  afterAll(async () => {
    for (const one of nodes) await one.close()
  })
  const gaps = ({ heard }: Node): number => heard.filter((what) => what === "a gap").length

  it("publish does not fail, gaps are told again and again, and all is heard once it is back", async () => {
    const [one, other] = [await node(), await node()]
    await redis.kill()
    await until("the loss is told, and told again", () => gaps(one) >= 2 && gaps(other) >= 2)
    await one.publish("unheard")
    expect(one.heard).toContain("unheard")
    await redis.start()
    await until("a message passes again", async () => {
      await one.publish("again")
      return other.heard.includes("again")
    })
    expect(other.heard).not.toContain("unheard")
    const after = other.heard.slice(0, other.heard.indexOf("again"))
    expect(after.at(-1)).toBe("a gap")
  })

  it("a node starts although Redis is away, and joins when it comes", async () => {
    const other = await node()
    await redis.kill()
    const one = await node(false)
    await one.publish("alone")
    expect(one.heard).toContain("alone")
    await redis.start()
    await until("it has joined", async () => {
      await other.publish("welcome")
      return one.heard.includes("welcome")
    })
  })
})
