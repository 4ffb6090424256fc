/** How much may wait on its way to Redis, and what becomes of more. */
import { Context, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { RedisTransport } from "../../../src/bus/redis-transport.ts"
import { defaultSettings } from "../../../src/config.ts"
import { busUnsentBytesMax, busWaitingBytesMax } from "../../../src/limits/nodes.ts"
import { layerLog } from "../../../src/runtime/log.ts"
import { counted } from "../../../src/runtime/metrics.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { hasRedis } from "../../support/redis-server.ts"
import { until } from "../../support/until.ts"
import { useRedis } from "../../support/use-started.ts"

const pieceBytes = 1_048_576
const piece = JSON.stringify("x".repeat(pieceBytes - 2))
/** A Redis that is stopped must not be away before all is said. */
const patienceMillis = 60_000
const quiet = layerLog({ ...defaultSettings, logLevel: "none" }, true)
const dropped = (): number => counted("hub_bus_dropped_total")
const tickOver = () => new Promise((resolve) => setImmediate(resolve))

describe.runIf(hasRedis)("what a node says", () => {
  const redis = useRedis()
  const closes: Array<() => Promise<void>> = []
  // a test that failed may have left it stopped, with all that was said to it
  beforeEach(async () => {
    await redis.start()
    for (const close of closes.splice(0)) await close()
  })
  afterAll(async () => {
    redis.resume()
    for (const close of closes) await close()
  })

  const start = async () => {
    const runtime = ManagedRuntime.make(
      Layer.provide(
        Layer.provide(RedisTransport.layer(redis.url, new Uint8Array(32), patienceMillis), NodeId.layer()),
        quiet
      )
    )
    const wire = Context.get(await runtime.context(), RedisTransport)
    closes.push(() => runtime.dispose())
    await until("the node has joined", () => !wire.away())
    return wire
  }

  it("in one tick to one channel is dropped, counted and told beyond 16 MiB; to another channel it is said", async () => {
    const wire = await start()
    const lost: Array<number> = []
    const before = dropped()
    const pieces = busWaitingBytesMax / pieceBytes
    for (let nth = 0; nth < pieces; nth++) wire.tellNode("nobody", "a", piece, () => {})
    expect(dropped()).toBe(before)
    wire.tellNode("nobody", "a", "1", () => lost.push(1))
    expect([dropped() - before, lost]).toEqual([1, [1]])
    wire.tellNode("somebody", "a", "1", () => {})
    expect(dropped()).toBe(before + 1)
    await tickOver()
    wire.tellNode("nobody", "a", "1", () => {})
    expect(dropped()).toBe(before + 1)
  })

  it("and Redis does not take is dropped, counted and told likewise beyond 64 MiB", async () => {
    const wire = await start()
    redis.pause()
    const lost: Array<string> = []
    const before = dropped()
    const perTick = 8
    // a message is a little more than its parts
    const ticks = Math.floor(busUnsentBytesMax / (perTick * (pieceBytes + 100)))
    for (let tick = 0; tick < ticks; tick++) {
      for (let nth = 0; nth < perTick; nth++) wire.tellNode(`node${tick}`, "a", piece, () => lost.push("early"))
      await tickOver()
    }
    expect([dropped() - before, lost]).toEqual([0, []])
    for (let nth = 0; nth < perTick; nth++) wire.tellNode("last", "a", piece, (surely) => lost.push(`${surely}`))
    await until("it is told", () => lost.length === perTick)
    expect(new Set(lost)).toEqual(new Set(["false"]))
    expect(dropped() - before).toBe(perTick)
    redis.resume()
  })
})
