/** Receivers that break HTTP, on purpose or by bad luck, and what an attempt makes of them. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { ManagedRuntime } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import type { AttemptResult } from "../../../src/domain/webhook/delivery.ts"
import {
  informationalAnswersMax,
  responseBytesMax,
  responseChunksMax,
  responseLineCost,
  wornConnectionsMax
} from "../../../src/limits/delivery.ts"
import { exchange } from "../../../src/outbound/http-client.ts"
import type { Sending } from "../../../src/outbound/http-connections.ts"
import { Outbound } from "../../../src/outbound/post.ts"
import { until } from "../../support/until.ts"

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"

describe("a receiver", () => {
  /** Speaks by hand: told of each request, counted over all connections from 1. */
  const speak = async (answer: (socket: Socket, nth: number) => void) => {
    let requests = 0
    const sockets = new Set<Socket>()
    const server: Server = createServer((socket) => {
      sockets.add(socket.on("error", () => undefined).on("close", () => sockets.delete(socket)))
      socket.on("data", () => answer(socket, ++requests))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const runtime = ManagedRuntime.make(Outbound.layerOf({ allowCidrs: ["127.0.0.0/8"] }))
    onTestFinished(() => void server.close())
    onTestFinished(() => runtime.dispose())
    const outbound = await runtime.runPromise(Outbound)
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const post = (headers: Record<string, string> = {}): Promise<AttemptResult> =>
      runtime.runPromise(outbound.post({ url, headers, body: "{}", charge: () => undefined }))
    return { post, requests: () => requests, connections: () => sockets.size }
  }

  it.each([
    ["closes", (socket: Socket) => void socket.end()],
    ["resets", (socket: Socket) => void socket.resetAndDestroy()]
  ])(
    "that %s its kept-alive connection as it is used again gets the request on another, in the same attempt",
    async (_, hangUp) => {
      const used = new Set<Socket>()
      let hungUp = 0
      const one = await speak((socket) => {
        if (used.has(socket)) {
          hungUp++
          return hangUp(socket)
        }
        used.add(socket)
        socket.write(ok)
      })
      // which request finds a kept connection free is the pool's to say
      await until("a kept connection was used again", async () => {
        expect(await one.post()).toMatchObject({ statusCode: 200, error: undefined, body: "ok" })
        return hungUp >= 2
      })
    }
  )

  it("that hangs up on a connection of its own is not asked twice", async () => {
    for (const hangUp of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
      const one = await speak(hangUp)
      expect(await one.post()).toMatchObject({ statusCode: undefined, error: "connect" })
      expect(one.requests()).toBe(1)
    }
  })

  it(`that closes every kept connection is asked on ${wornConnectionsMax} more at most`, () => {
    let asked = 0
    const closing = {
      send: (sending: Sending) => {
        asked++
        sending.sent({ release: () => undefined, destroy: () => undefined }, true)
        sending.lost(Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }))
      }
    }
    const replies: Array<unknown> = []
    exchange(closing, "POST / HTTP/1.1\r\n\r\n", (reply) => replies.push(reply))
    expect(replies).toMatchObject([{ statusCode: undefined, error: "connect" }])
    expect(asked).toBe(1 + wornConnectionsMax)
  })

  it.each([
    ["speaks no HTTP", "hello\r\n\r\n"],
    ["sends headers without end", `HTTP/1.1 200 OK\r\n${`x: ${"a".repeat(1_000)}\r\n`.repeat(200)}`],
    ["sends one huge header", `HTTP/1.1 200 OK\r\nx: ${"a".repeat(200_000)}\r\n\r\n`],
    ["changes to another protocol", "HTTP/1.1 101 Over\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"],
    ["chunks wrongly", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"],
    ["gives two lengths", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n"]
  ])("that %s has failed to answer", async (_, text) => {
    const one = await speak((socket) => socket.write(text))
    expect(await one.post()).toMatchObject({ statusCode: undefined, error: "connect" })
    await until("the connection is closed", () => one.connections() === 0)
  })

  it("that ends before its answer does has failed to answer", async () => {
    const one = await speak((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok"))
    expect(await one.post()).toMatchObject({ statusCode: undefined, error: "connect" })
    expect(one.requests()).toBe(1)
  })

  const hint = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"

  it(`may send ${informationalAnswersMax} hints first`, async () => {
    const one = await speak((socket) => socket.write(hint.repeat(informationalAnswersMax) + ok))
    expect(await one.post()).toMatchObject({ statusCode: 200, body: "ok" })
  })

  it("that sends one hint more has failed to answer, and its connection is closed", async () => {
    const one = await speak((socket) => socket.write(hint.repeat(informationalAnswersMax + 1)))
    expect(await one.post()).toMatchObject({ statusCode: undefined, error: "connect" })
    await until("the connection is closed", () => one.connections() === 0)
  })

  it.each([
    ["speaks unasked on a kept connection", ok, "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfake"],
    ["says more than its answer", `${ok}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfake`, ""],
    ["keeps no connection for long", "HTTP/1.1 200 OK\r\nkeep-alive: timeout=2\r\ncontent-length: 2\r\n\r\nok", ""]
  ])("that %s is asked on another", async (_, answer, unasked) => {
    const sockets: Array<Socket> = []
    const one = await speak((socket) => {
      sockets.push(socket)
      socket.write(answer)
    })
    expect(await one.post()).toMatchObject({ statusCode: 200, body: "ok" })
    sockets[0]!.write(unasked)
    await until("the connection is closed", () => one.connections() === 0)
    expect(await one.post()).toMatchObject({ statusCode: 200, body: "ok" })
    expect(sockets[1]).not.toBe(sockets[0])
  })

  it("is sent no header that would end in another", async () => {
    const one = await speak((socket) => socket.write(ok))
    expect(await one.post({ tracestate: "a=b\r\nx: y" })).toMatchObject({ statusCode: undefined, error: "connect" })
    expect(one.requests()).toBe(0)
  })

  it(`whose answer comes in more than ${responseChunksMax} chunks is cut there, and only that is read and paid for`, () => {
    const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
    const text = `${head}${"1\r\nx\r\n".repeat(responseBytesMax)}0\r\n\r\n`
    const replies: Array<unknown> = []
    let cut = 0
    const sender = {
      send: (sending: Sending) => {
        sending.sent({ release: () => undefined, destroy: () => void cut++ }, false)
        sending.received(Buffer.from(text))
      }
    }
    exchange(sender, "POST / HTTP/1.1\r\n\r\n", ({ body, truncated }, cost) => replies.push([body, truncated, cost]))
    const read = responseChunksMax + 1
    expect([replies, cut]).toEqual([[["x".repeat(read), true, text.length + (1 + read) * responseLineCost]], 1])
  })

  it("that answers compressed is not unpacked", async () => {
    const one = await speak((socket) =>
      socket.write("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nPK34")
    )
    expect((await one.post()).body).toBe("PK34")
  })

  it("whose answer is no text takes no more room than text", async () => {
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${responseBytesMax}\r\n\r\n`
    const one = await speak((socket) => void (socket.write(head) && socket.write(Buffer.alloc(responseBytesMax, 0xff))))
    const { body } = await one.post()
    expect(body).toMatch(/^\ufffd+$/u)
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(responseBytesMax)
    expect(Buffer.byteLength(body)).toBeGreaterThan(responseBytesMax - 3)
  })
})
