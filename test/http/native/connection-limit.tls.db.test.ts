/** More connections than a server takes, over TLS: those beyond are closed as they come, and the rest is served. */
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startEdge, type TestEdge } from "../../support/edge.ts"
import { openWire } from "../../support/raw-http-connection.ts"
import { until } from "../../support/until.ts"

const folder = new URL("../../support/tls/", import.meta.url).pathname
const tls = { tlsCert: `${folder}cert.pem`, tlsKey: `${folder}key.pem` }
const ca = readFileSync(tls.tlsCert)

describe("a server with TLS whose process may have few descriptors", () => {
  let edge: TestEdge
  const sockets: Array<Socket> = []
  beforeAll(async () => {
    const system = { health: () => Effect.succeed({ status: "ok" }) }
    edge = await startEdge({ settings: tls, descriptors: { descriptors: 128, lowestFree: () => 0 } }, { system })
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    await edge?.close()
  })

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
