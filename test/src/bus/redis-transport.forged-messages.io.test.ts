/** What somebody who may write to Redis, and has no secret key of the hub, can make the nodes hear: nothing. */
import { Context, Effect, Layer, ManagedRuntime } from "effect"
import { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { messageAuthentication } from "../../../src/bus/message-authentication.ts"
import { RedisTransport } from "../../../src/bus/redis-transport.ts"
import { defaultSettings } from "../../../src/config.ts"
import { layerLog } from "../../../src/runtime/log.ts"
import { counted } from "../../../src/runtime/metrics.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { hasRedis } from "../../support/redis-server.ts"
import { until } from "../../support/until.ts"
import { useRedis } from "../../support/use-started.ts"

/** So long that a crowded machine does not pass for a Redis that is away. */
const silenceMillis = 15_000
const key = new Uint8Array(32).fill(7)
const refused = (why: string): number => counted("hub_bus_refused_total", why)
const quiet = layerLog({ ...defaultSettings, logLevel: "none" }, true)

describe.skipIf(!hasRedis)("a node on a Redis to which others may write", () => {
  const redis = useRedis()
  let wire: RedisTransport["Service"]
  const heard: Array<unknown> = []
  const closes: Array<() => Promise<unknown>> = []
  beforeAll(async () => {
    const listening = Layer.effectDiscard(
      Effect.flatMap(RedisTransport, (line) => line.hear("ask", ({ message }) => heard.push(message)))
    )
    const line = Layer.provide(RedisTransport.layer(redis.url, key, silenceMillis), NodeId.layer())
    const runtime = ManagedRuntime.make(Layer.provideMerge(listening, line).pipe(Layer.provide(quiet)))
    closes.push(() => runtime.dispose())
    wire = Context.get(await runtime.context(), RedisTransport)
    await until("the node has joined", () => !wire.away())
  })
  afterAll(async () => {
    for (const close of closes) await close()
  })

  const inbox = () => `${wire.prefix}inbox:${wire.node}`
  const message = (at: number, text: string) => `{"from":"node_other","at":${at},"parts":[["ask","${text}"]]}`
  const publish = (text: string) => redis.call("PUBLISH", inbox(), text)

  it("hears a message of its own hub, once", async () => {
    const signed = messageAuthentication(key, Date.now).sign(inbox(), message(0, "own"))
    await publish(signed)
    await until("it is heard", () => heard.includes("own"))
    const before = refused("repeated")
    await publish(signed)
    await until("the copy is refused", () => refused("repeated") === before + 1)
    expect(heard).toEqual(["own"])
  })

  it.each([
    ["of a later version", '{"v":2,"from":"node_new","at":0,"parts":[["ask","of tomorrow"]]}'],
    ["of an unknown kind", '{"v":1,"from":"node_new","at":0,"parts":[["dance","of tomorrow"]]}']
  ])("ignores, and counts, a message %s: the nodes of two versions run beside each other", async (why, text) => {
    const before = refused(why)
    await publish(messageAuthentication(key, Date.now).sign(inbox(), text))
    await until("it is counted", () => refused(why) === before + 1)
    expect(heard).not.toContain("of tomorrow")
  })

  // which forgeries there are is message-authentication.test's
  it("does not hear, and counts, a message under another key", async () => {
    const forged = () => messageAuthentication(new Uint8Array(32), Date.now).sign(inbox(), message(7, "forged"))
    const before = refused("not signed by this hub")
    await publish(forged())
    await until("it is refused", () => refused("not signed by this hub") === before + 1)
    expect(heard).not.toContain("forged")
  })

  it("does not hear its own messages from somebody who listened and says them again", async () => {
    const listener = new Redis(redis.url)
    closes.push(() => listener.quit())
    const listened: Array<string> = []
    listener.on("message", (_, text) => listened.push(text))
    await listener.subscribe(inbox())
    wire.tellNode(wire.node, "ask", '"told"', () => {})
    await until("it is heard", () => heard.includes("told"))
    await until("it was overheard", () => listened.some((text) => text.includes("told")))
    const before = refused("repeated")
    await publish(listened.find((text) => text.includes("told"))!)
    await until("the copy is refused", () => refused("repeated") === before + 1)
    expect(heard.filter((one) => one === "told")).toHaveLength(1)
  })
})
