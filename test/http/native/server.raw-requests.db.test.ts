/** Requests that no regular client sends, byte by byte, and clients that hang up. */
import { readFileSync } from "node:fs"
import { Deferred, Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { afterEach, describe, expect, it } from "vitest"
import { access } from "../../../http/api/access.ts"
import { Streaming } from "../../../http/pipeline/response.ts"
import { bodiesInFlightBytesMax, bodiesInFlightBytesPerOwnerMax, unreadLookMillis } from "../../../src/limits.ts"
import { startEdge, useEdge } from "../../support/edge.ts"
import { openWire, type Wire } from "../../support/raw-http-connection.ts"
import { until } from "../../support/until.ts"
import { turns } from "../../support/virtual-hub-clock.ts"

const open = access({ kind: "public", onHangUp: "cancel" })
const Payload = Schema.Struct({ name: Schema.String })
const Wild = HttpApiGroup.make("wild").add(
  HttpApiEndpoint.post("echo", "/echo", { payload: Payload, success: Payload }).annotateMerge(open),
  HttpApiEndpoint.get("quick", "/quick", { success: Schema.Struct({ ok: Schema.Boolean }) }).annotateMerge(open),
  HttpApiEndpoint.get("slow", "/slow", { success: Schema.Struct({}) }).annotateMerge(open),
  HttpApiEndpoint.get("stream", "/stream", { success: Schema.String }).annotateMerge(open)
)

const seen: Array<string> = []
const released = Deferred.makeUnsafe<void>()
const routes = {
  wild: {
    echo: ({ payload }: { payload: { name: string } }) => Effect.succeed(payload),
    quick: () => Effect.succeed({ ok: true }),
    slow: () =>
      Effect.sync(() => seen.push("slow began")).pipe(
        Effect.andThen(Deferred.await(released)),
        Effect.as({}),
        Effect.onInterrupt(() => Effect.sync(() => seen.push("slow interrupted")))
      ),
    stream: () =>
      Effect.succeed(
        new Streaming([["content-type", "text/event-stream"]], (outlet) =>
          Effect.sync(() => outlet.write("data: 1\n\n")).pipe(
            Effect.andThen(Effect.never),
            Effect.onInterrupt(() => Effect.sync(() => seen.push("stream interrupted")))
          )
        )
      )
  }
}

const edge = useEdge({ names: true }, routes, HttpApi.make("raw").add(Wild))

const wires: Array<Wire> = []
afterEach(async () => {
  for (const wire of wires.splice(0)) wire.destroy()
  await until("nothing is under way", () => edge.edge.server.exchanges.live === 0)
  seen.length = 0
})
const send = async (...bytes: ReadonlyArray<string | Buffer>) => {
  const wire = await openWire(edge.url)
  wires.push(wire)
  for (const part of bytes) wire.write(part)
  return wire
}
const head = (line: string, ...headers: ReadonlyArray<string>) =>
  `${[line, "host: h", ...headers].join("\r\n")}\r\n\r\n`
const body = '{"name":"a"}'

describe("framing", () => {
  it.each([
    ["two lengths that differ", ["content-length: 12", "content-length: 5"]],
    ["two lengths that agree", ["content-length: 12", "content-length: 12"]],
    ["a length that is signed", ["content-length: +12"]],
    ["a length that is a list", ["content-length: 12, 12"]],
    ["a length and chunks", ["content-length: 12", "transfer-encoding: chunked"]],
    ["an unknown transfer encoding", ["transfer-encoding: gzip, chunked"]],
    ["a second host", ["host: other", "content-length: 12"]]
  ])("answers 400 to %s, or closes, and never takes it for a request", async (_, headers) => {
    const wire = await send(head("POST /echo HTTP/1.1", ...headers) + body)
    const answer = await wire.answer()
    if (answer !== undefined) expect(answer.status).toBe(400)
    await wire.closed
  })

  it("reads a chunked body", async () => {
    const chunks = `5\r\n${body.slice(0, 5)}\r\n7\r\n${body.slice(5)}\r\n0\r\n\r\n`
    const wire = await send(head("POST /echo HTTP/1.1", "transfer-encoding: chunked") + chunks)
    expect(await wire.answer()).toMatchObject({ status: 200, body })
  })

  it("bounds a chunked body", async () => {
    const piece = "x".repeat(65_536)
    const wire = await send(head("POST /echo HTTP/1.1", "transfer-encoding: chunked"))
    for (let at = 0; at < 17; at++) wire.write(`10000\r\n${piece}\r\n`)
    expect(await wire.answer()).toMatchObject({ status: 413 })
    await wire.closed
  })

  it("reads a body that comes byte by byte", async () => {
    const wire = await send(head("POST /echo HTTP/1.1", `content-length: ${body.length}`))
    for (const byte of body) wire.write(byte)
    expect(await wire.answer()).toMatchObject({ status: 200, body })
  })

  it("holds nothing of a body whose sender hangs up", async () => {
    const wire = await send(head("POST /echo HTTP/1.1", "content-length: 1000"), "x".repeat(500))
    await until("the piece is held", () => edge.edge.server.exchanges.bodies.size === 500)
    wire.destroy()
    await until("it is let go", () => edge.edge.server.exchanges.bodies.size === 0)
    await until("nothing is under way", () => edge.edge.server.exchanges.live === 0)
  })

  it("answers 503 to a body when all bodies together are at their bound", async () => {
    const { bodies } = edge.edge.server.exchanges
    const owners = bodiesInFlightBytesMax / bodiesInFlightBytesPerOwnerMax
    for (let at = 0; at < owners; at++) bodies.take(`other ${at}`, bodiesInFlightBytesPerOwnerMax)
    try {
      const wire = await send(head("POST /echo HTTP/1.1", "content-length: 1000"), "x".repeat(500))
      expect(await wire.answer()).toMatchObject({ status: 503 })
    } finally {
      for (let at = 0; at < owners; at++) bodies.give(`other ${at}`, bodiesInFlightBytesPerOwnerMax)
    }
  })
})

describe("headers", () => {
  it("keeps a request id from becoming a header of the answer", async () => {
    const wire = await send("GET /quick HTTP/1.1\r\nhost: h\r\nx-request-id: abcdefgh\r\n set-cookie: a=b\r\n\r\n")
    const answer = await wire.answer()
    if (answer !== undefined) {
      expect(answer.headers.has("set-cookie")).toBe(false)
      if (answer.status === 200) expect(answer.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9_-]{8,64}$/u)
    }
  })

  it("does not believe a forwarded address of a peer that is no trusted proxy", async () => {
    edge.asked.length = 0
    const wire = await send(head("GET /quick HTTP/1.1", "x-forwarded-for: 203.0.113.9", "forwarded: for=203.0.113.9"))
    expect(await wire.answer()).toMatchObject({ status: 200 })
    expect(edge.asked).toEqual(["address 127.0.0.1"])
  })

  it("reads the lines of forwarded addresses as one list, however many a caller put before the proxy's own", async () => {
    const settings = { trustedProxies: ["127.0.0.0/8"] }
    const behind = await startEdge({ names: true, settings }, routes, HttpApi.make("raw").add(Wild))
    try {
      for (const forged of ["203.0.113.1, 203.0.113.2", ""]) {
        behind.asked.length = 0
        const wire = await openWire(behind.url)
        wires.push(wire)
        wire.write(head("GET /quick HTTP/1.1", `x-forwarded-for: ${forged}`, "x-forwarded-for: 198.51.100.7"))
        expect(await wire.answer()).toMatchObject({ status: 200 })
        expect(behind.asked).toEqual(["address 198.51.100.7"])
      }
    } finally {
      await behind.close()
    }
  })

  it("survives a head that is too large", async () => {
    const wire = await send(head("GET /quick HTTP/1.1", `x-long: ${"x".repeat(20_000)}`))
    expect(await wire.answer()).toMatchObject({ status: 431 })
    expect((await fetch(`${edge.url}/quick`)).status).toBe(200)
  })

  it("answers 404 to an address that is too long", async () => {
    const wire = await send(head(`GET /quick?${"q".repeat(8_200)} HTTP/1.1`))
    expect(await wire.answer()).toMatchObject({ status: 404 })
  })
})

describe("connections", () => {
  it("serves requests that come behind one another on one connection", async () => {
    const one = head("GET /quick HTTP/1.1")
    const wire = await send(one + one + one)
    for (let at = 0; at < 3; at++) expect(await wire.answer()).toMatchObject({ status: 200, body: '{"ok":true}' })
  })

  it("interrupts the action of a caller that hangs up", async () => {
    const wire = await send(head("GET /slow HTTP/1.1"))
    await until("the action began", () => seen.includes("slow began"))
    wire.destroy()
    for (let look = 0; look < 2; look++) await edge.clock.advance(unreadLookMillis, turns)
    await until("the action is interrupted", () => seen.includes("slow interrupted"))
  })

  it("interrupts a stream whose reader hangs up", async () => {
    const wire = await send(head("GET /stream HTTP/1.1"))
    const { exchanges } = edge.edge.server
    await until("the stream is open", () => exchanges.streams.size === 1)
    await wire.answer()
    wire.destroy()
    await until("the stream is interrupted", () => seen.includes("stream interrupted"))
    expect(exchanges.streams.size).toBe(0)
  })

  it("answers HEAD of a stream with its headers only", async () => {
    const answer = await fetch(`${edge.url}/stream`, { method: "HEAD" })
    expect(answer.headers.get("content-type")).toBe("text/event-stream")
    expect(edge.edge.server.exchanges.streams.size).toBe(0)
  })

  it("is still well after bytes of no protocol at all", async () => {
    for (const bytes of [Buffer.from([0x16, 3, 1, 0, 0xff]), "\r\n\r\n\r\n", "GET\r\n\r\n", "\0".repeat(5_000)]) {
      const wire = await send(bytes)
      wire.destroy()
    }
    expect((await fetch(`${edge.url}/quick`)).status).toBe(200)
  })
})

describe("TLS", () => {
  it("serves https with the given certificate", async () => {
    const folder = new URL("../../support/tls/", import.meta.url).pathname
    const settings = { tlsCert: `${folder}cert.pem`, tlsKey: `${folder}key.pem` }
    const secure = await startEdge({ settings }, routes, HttpApi.make("tls").add(Wild))
    try {
      expect(secure.url).toMatch(/^https:/u)
      const wire = await openWire(secure.url, { ca: readFileSync(settings.tlsCert) })
      wire.write(head("GET /quick HTTP/1.1"))
      expect(await wire.answer()).toMatchObject({ status: 200, body: '{"ok":true}' })
      wire.destroy()
    } finally {
      await secure.close()
    }
  })
})

describe("CORS", () => {
  it("lets a known origin's browser in, preflight and answer, and no other", async () => {
    const origin = "https://dash.example.org"
    const cors = await startEdge({ settings: { corsOrigins: [origin] } }, routes, HttpApi.make("cors").add(Wild))
    const preflight = (from: string) =>
      fetch(`${cors.url}/echo`, {
        method: "OPTIONS",
        headers: { origin: from, "access-control-request-method": "POST" }
      })
    try {
      const allowed = await preflight(origin)
      expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([204, origin])
      expect(allowed.headers.get("access-control-allow-methods")).toBe("POST")
      const other = await preflight("https://evil.example")
      expect([other.status, other.headers.get("access-control-allow-origin")]).toEqual([405, null])
      const refused = await fetch(`${cors.url}/nowhere`, { headers: { origin } })
      expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([404, origin])
    } finally {
      await cors.close()
    }
  })
})

describe("the port", () => {
  it("is had by one hub only", async () => {
    const port = edge.edge.port
    await expect(startEdge({ settings: { port } }, routes, HttpApi.make("second").add(Wild))).rejects.toThrow(
      /is taken/u
    )
  })
})
