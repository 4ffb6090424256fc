/** More connections than a server accepts: which are refused, which are not, and that the others are served. */
import { connect, type Socket } from "node:net"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { crowdedShare, freeShareOfAddress } from "../../../src/limits/edge.ts"
import { startEdge, type TestEdge } from "../../support/edge.ts"
import { until } from "../../support/until.ts"

const hog = "127.0.0.2"
/** All ends of the connections are this process's, so that it is not looked how many of its descriptors are free. */
const descriptors = { descriptors: 512, lowestFree: () => 0 }

describe("a server whose process may have few descriptors", () => {
  let edge: TestEdge
  const sockets: Array<Socket> = []
  beforeAll(async () => {
    const system = { health: () => Effect.succeed({ status: "ok" }) }
    edge = await startEdge({ descriptors }, { system })
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    await edge?.close()
  })

  /** Opens a connection; tells whether it is open still once the server has seen it. */
  const open = async (localAddress: string): Promise<Socket> => {
    const { hostname, port } = new URL(edge.url)
    const socket = connect({ host: hostname, port: Number(port), localAddress })
    sockets.push(socket)
    socket.on("error", () => {})
    await new Promise<void>((resolve) => void socket.once("connect", resolve).once("close", () => resolve()))
    return socket
  }
  const held = () => edge.edge.server.open
  const ask = async (socket: Socket): Promise<string> => {
    socket.write("GET /nothing HTTP/1.1\r\nHost: hub\r\n\r\n")
    const first = await new Promise<string>((resolve) => {
      socket.once("data", (bytes) => resolve(String(bytes))).once("close", () => resolve("closed"))
    })
    return first.slice(0, "HTTP/1.1 404".length)
  }

  it("serves whoever was there and whoever else comes while one address opens more than there is room for", async () => {
    const kept = await open("127.0.0.3")
    expect(await ask(kept)).toBe("HTTP/1.1 404")
    for (let nth = 0; nth < held().max; nth++) await open(hog)
    await until("the server has seen all", () => sockets.some((socket) => socket.closed))
    expect(held().size).toBeLessThan(held().max * (crowdedShare + freeShareOfAddress))
    expect(await ask(kept)).toBe("HTTP/1.1 404")
    expect(await ask(await open("127.0.0.3"))).toBe("HTTP/1.1 404")
    expect(await ask(await open("127.0.0.4"))).toBe("HTTP/1.1 404")
    expect(await ask(await open(hog))).toBe("closed")
  })

  it("takes connections of that address again once its others are closed", async () => {
    for (const socket of sockets) socket.destroy()
    await until("all are closed", () => held().size === 0)
    expect(await ask(await open(hog))).toBe("HTTP/1.1 404")
  })
})
