/** A node that leaves Redis: whatever Redis says it received, it answers first. */
import { Layer, ManagedRuntime } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { connectRedis, type RedisClient } from "../../../src/bus/redis-client.ts"
import { RedisTransport } from "../../../src/bus/redis-transport.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { hasRedis, startRedis } from "../../support/redis-server.ts"
import { until } from "../../support/until.ts"

const asked = 2_000

describe.runIf(hasRedis)("a node that leaves", () => {
  it.each([
    ["one Redis", false],
    ["a Redis Cluster", true]
  ])("answers over %s each request that it was counted as a receiver of, and receives no other", async (_, cluster) => {
    const redis = await startRedis({ cluster })
    onTestFinished(redis.close)
    const client = (): RedisClient => {
      const one = connectRedis(redis.url, () => {})
      onTestFinished(one.close)
      return one
    }
    const [asks, leaves] = [client(), client()]
    const answered: Array<string> = []
    asks.subscribe(["answers"], (_, text) => answered.push(text))
    // as a node does: at the end of the tick in which it was asked
    leaves.subscribe(
      ["requests"],
      (_, text) => void setImmediate(() => void leaves.publish("answers", text).catch(() => 0))
    )
    const publish = (channel: string, text: string): Promise<number> => asks.publish(channel, text).catch(() => 0)
    await until("both listen", async () => (await publish("requests", "first")) === 1 && answered.includes("first"))

    const received: Array<string> = []
    const ask = async (at: number): Promise<void> => {
      if ((await publish("requests", `${at}`)) > 0) received.push(`${at}`)
    }
    const requests: Array<Promise<void>> = []
    for (let at = 0; at < asked / 2; at++) requests.push(ask(at))
    await requests[asked / 4]
    const gone = leaves.leave().then(() => leaves.close())
    for (let at = asked / 2; at < asked; at++) requests.push(ask(at))
    await Promise.all([...requests, gone])

    expect(received.length).toBeGreaterThanOrEqual(asked / 4)
    expect(await publish("requests", "last")).toBe(0)
    const answers = () => answered.filter((text) => text !== "first")
    await until("all that was received is answered", () => answers().length >= received.length)
    expect(answers().toSorted()).toEqual(received.toSorted())
  })

  it("ends all the same where Redis does not answer", async () => {
    const redis = await startRedis()
    onTestFinished(redis.close)
    const transport = Layer.provide(RedisTransport.layer(redis.url, new Uint8Array(32)), NodeId.layer())
    const runtime = ManagedRuntime.make(transport)
    const wire = await runtime.runPromise(RedisTransport)
    await until("the node has joined", () => !wire.away())
    redis.pause()
    onTestFinished(redis.resume)
    await runtime.dispose()
  })
})
