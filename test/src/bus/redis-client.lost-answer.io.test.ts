/** What Redis took is not said again, though its answer was lost: a real server behind a proxy that cuts the line. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"
import { Redis } from "ioredis"
import { describe, expect, it, onTestFinished } from "vitest"
import { connectRedis } from "../../../src/bus/redis-client.ts"
import { hasRedis, startRedis } from "../../support/redis-server.ts"
import { until } from "../../support/until.ts"

/**
 * Passes everything on; `cutAfter`: the next message that is published still gets there, but no answer to it comes
 * back.
 */
const startProxy = async () => {
  let target = 0
  let armed = false
  const sockets = new Set<Socket>()
  const server: Server = createServer((near) => {
    const far = connect(target, "127.0.0.1")
    let cut = false
    for (const one of [near, far]) {
      sockets.add(one)
      one.on("error", () => {})
      one.on("close", () => {
        near.destroy()
        far.destroy()
      })
    }
    near.on("data", (bytes) => {
      if (armed && /publish/iu.test(bytes.toString("latin1"))) {
        armed = false
        cut = true
      }
      far.write(bytes)
    })
    far.on("data", (bytes) => (cut ? near.destroy() : near.write(bytes)))
  })
  await new Promise<void>((go) => server.listen(0, "127.0.0.1", go))
  return {
    port: (server.address() as AddressInfo).port,
    to: (port: number) => {
      target = port
    },
    cutAfterNext: () => {
      armed = true
    },
    close: () => {
      for (const one of sockets) one.destroy()
      server.close()
    }
  }
}

describe.runIf(hasRedis)("a message whose answer is lost", () => {
  it.each([
    ["one Redis", false],
    ["a Redis Cluster", true]
  ])("is heard once over %s, and whoever said it learns that nobody can tell", async (_, cluster) => {
    const proxy = await startProxy()
    onTestFinished(proxy.close)
    const redis = await startRedis({ cluster, ...(cluster && { announcedPort: proxy.port }) })
    onTestFinished(redis.close)
    const straight = new URL(redis.url)
    proxy.to(Number(straight.port))
    const ear = new Redis({ host: "127.0.0.1", port: Number(straight.port) })
    onTestFinished(() => ear.disconnect())
    const heard: Array<string> = []
    ear.on(cluster ? "smessage" : "message", (_: string, text: string) => heard.push(text))
    await (cluster ? ear.ssubscribe("inbox") : ear.subscribe("inbox"))
    const dialled = connectRedis(`redis://127.0.0.1:${proxy.port}/0${cluster ? "?cluster" : ""}`, () => {})
    onTestFinished(dialled.close)
    const say = (text: string) =>
      dialled.publish("inbox", text).then(
        () => true,
        () => false
      )
    await until("the line stands", () => say("first"))
    heard.length = 0
    proxy.cutAfterNext()
    expect(await say("once")).toBe(false)
    await until("the line stands again", () => say("last"))
    await until("all has come", () => heard.includes("last"))
    expect(heard.filter((text) => text === "once")).toEqual(["once"])
  })
})
