/** More connections than a server accepts: which are refused, which are not, and that the others are served. */
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { crowdedShare, freeShareOfAddress } from "../../../src/limits/edge.ts"
import { useEdge } from "../../support/edge.ts"
import { openWire } from "../../support/raw-http-connection.ts"
import { until } from "../../support/until.ts"

const hog = "127.0.0.2"
const system = { health: () => Effect.succeed({ status: "ok" }) }
const sockets: Array<Socket> = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})
/** All ends of the connections are this process's, so that it is not looked how many of its descriptors are free. */
const descriptors = { descriptors: 512, lowestFree: () => 0 }
const folder = new URL("../../support/tls/", import.meta.url).pathname
const tls = { tlsCert: `${folder}cert.pem`, tlsKey: `${folder}key.pem` }

describe("a server whose process may have few descriptors", () => {
  const edge = useEdge({ descriptors }, { system })

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
    await until("all are closed", () => held().size === 0)
    expect(await ask(await open(hog))).toBe("HTTP/1.1 404")
  })
})

describe("a server with TLS whose process may have few descriptors", () => {
  const edge = useEdge({ settings: tls, descriptors: { descriptors: 128, lowestFree: () => 0 } }, { system })
  const ca = readFileSync(tls.tlsCert)

  it("closes those beyond before their handshake, serves whoever was there, and counts none that is gone", async () => {
    const { hostname, port } = new URL(edge.url)
    const open = edge.edge.server.open
    const kept = await openWire(edge.url, { ca })
    let closed = 0
    for (let nth = 0; nth < open.max * 2; nth++) {
      const socket = connect({ host: hostname, port: Number(port), localAddress: "127.0.0.2" })
      sockets.push(socket)
      socket.on("error", () => {}).on("close", () => closed++)
    }
    await until("the server has seen all", () => closed + open.size === sockets.length + 1)
    expect(open.size).toBeLessThan(open.max)
    kept.write("GET /nothing HTTP/1.1\r\nHost: hub\r\n\r\n")
    expect(await kept.answer()).toMatchObject({ status: 404 })
    for (const socket of sockets) socket.destroy()
    await until("all others are closed", () => open.size === 1)
    const late = await openWire(edge.url, { ca })
    late.write("GET /nothing HTTP/1.1\r\nHost: hub\r\n\r\n")
    expect(await late.answer()).toMatchObject({ status: 404 })
    kept.destroy()
    late.destroy()
  })
})
