/** Bodies and headers that no regular client sends. */
import { Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { afterEach, describe, expect, it } from "vitest"
import { access } from "../../../http/api/access.ts"
import { smallPiecesMax, uriCharsMax } from "../../../src/limits/edge.ts"
import { useEdge } from "../../support/edge.ts"
import { fillUp } from "../../support/held-bytes.ts"
import { openWire, type Wire } from "../../support/raw-http-connection.ts"
import { until } from "../../support/until.ts"

const open = access({ kind: "public", onHangUp: "cancel" })
const Payload = Schema.Struct({ name: Schema.String })
const Wild = HttpApiGroup.make("wild").add(
  HttpApiEndpoint.post("echo", "/echo", { payload: Payload, success: Payload }).annotateMerge(open),
  HttpApiEndpoint.get("of", "/of/:id", { params: { id: Schema.String }, success: Schema.Void }).annotateMerge(open),
  HttpApiEndpoint.get("quick", "/quick", { success: Schema.Struct({ ok: Schema.Boolean }) }).annotateMerge(open)
)

const routes = {
  wild: {
    echo: ({ payload }: { payload: { name: string } }) => Effect.succeed(payload),
    of: () => Effect.void,
    quick: () => Effect.succeed({ ok: true })
  }
}

const edge = useEdge({}, routes, HttpApi.make("raw").add(Wild))
const trusting = { names: true, settings: { trustedProxies: ["127.0.0.0/8"] } }
const behind = useEdge(trusting, routes, HttpApi.make("raw").add(Wild))

const wires: Array<Wire> = []
afterEach(async () => {
  for (const wire of wires.splice(0)) wire.destroy()
  await until("nothing is under way", () => edge.edge.server.exchanges.live === 0)
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
  it("bounds a chunked body", async () => {
    const piece = "x".repeat(65_536)
    const wire = await send(head("POST /echo HTTP/1.1", "transfer-encoding: chunked"))
    for (let at = 0; at < 17; at++) wire.write(`10000\r\n${piece}\r\n`)
    expect(await wire.answer()).toMatchObject({ status: 413 })
    await wire.closed
  })

  it("ends a body of many small chunks where they are too many, and looks at none behind", async () => {
    const chunks = (count: number) => `1\r\n \r\n`.repeat(count)
    const chunked = head("POST /echo HTTP/1.1", "transfer-encoding: chunked")
    const few = await send(chunked, `${chunks(smallPiecesMax - 2)}c\r\n${body}\r\n0\r\n\r\n`)
    expect(await few.answer()).toMatchObject({ status: 200, body })
    const wire = await send(chunked, chunks(smallPiecesMax + 10_000))
    const said = expect.stringContaining(`more than ${smallPiecesMax} pieces`)
    expect(await wire.answer()).toMatchObject({ status: 400, body: said })
    await wire.closed
    expect(edge.edge.server.exchanges.bodies.size).toBe(0)
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
    const letGo = fillUp(bodies)
    try {
      const wire = await send(head("POST /echo HTTP/1.1", "content-length: 1000"), "x".repeat(500))
      expect(await wire.answer()).toMatchObject({ status: 503 })
    } finally {
      letGo()
    }
  })
})

describe("what no call takes", () => {
  const long = "x".repeat(uriCharsMax)

  it.each([
    ["a query that is too long", head(`GET /quick?a=${long} HTTP/1.1`), 414, "URI_TOO_LONG"],
    ["a path that is too long", head(`GET /${long}/nowhere HTTP/1.1`), 414, "URI_TOO_LONG"],
    ["a parameter that is too long", head(`GET /of/${long}x HTTP/1.1`), 414, "URI_TOO_LONG"],
    [
      "two different credentials",
      head("GET /quick HTTP/1.1", "authorization: Bearer a", "authorization: Bearer b"),
      400,
      "VALIDATION_FAILED"
    ],
    [
      "a form with files",
      `${head("POST /echo HTTP/1.1", "content-type: multipart/form-data; boundary=x", `content-length: ${body.length}`)}${body}`,
      415,
      "UNSUPPORTED_MEDIA_TYPE"
    ],
    [
      "an encoded body",
      `${head("POST /echo HTTP/1.1", "content-encoding: gzip", `content-length: ${body.length}`)}${body}`,
      415,
      "UNSUPPORTED_MEDIA_TYPE"
    ]
  ])("is refused: %s", async (_, bytes, status, reason) => {
    const wire = await send(bytes)
    const answer = await wire.answer()
    expect([answer?.status, JSON.parse(answer!.body).reason]).toEqual([status, reason])
  })

  it("is not an empty body, of whatever type it is said to be: it lacks members only", async () => {
    const said = ["content-type: application/octet-stream", "content-encoding: gzip", "content-length: 0"]
    const answer = await (await send(head("POST /echo HTTP/1.1", ...said))).answer()
    expect([answer?.status, JSON.parse(answer!.body).reason]).toEqual([400, "VALIDATION_FAILED"])
  })

  it("is refused: a body that is no UTF-8, in one piece or in two", async () => {
    const broken = Buffer.from('{"name":"\xff"}', "latin1")
    for (const cut of [0, 4]) {
      const bytes = head("POST /echo HTTP/1.1", `content-length: ${broken.length}`)
      const wire = await send(bytes, broken.subarray(0, cut), broken.subarray(cut))
      const answer = await wire.answer()
      expect([answer?.status, JSON.parse(answer!.body).issues]).toEqual([
        400,
        [{ path: "", message: "The body is not valid UTF-8" }]
      ])
    }
  })
})

it("a header of a request id on two lines does not become one of the answer", async () => {
  const wire = await send("GET /quick HTTP/1.1\r\nhost: h\r\nx-request-id: abcdefgh\r\n set-cookie: a=b\r\n\r\n")
  expect((await wire.answer())?.headers.has("set-cookie") ?? false).toBe(false)
})

it("a header of forwarded addresses is one list over its lines, however many a caller put before the proxy's own", async () => {
  for (const forged of ["203.0.113.1, 203.0.113.2", ""]) {
    behind.asked.length = 0
    const wire = await openWire(behind.url)
    wires.push(wire)
    wire.write(head("GET /quick HTTP/1.1", `x-forwarded-for: ${forged}`, "x-forwarded-for: 198.51.100.7"))
    expect(await wire.answer()).toMatchObject({ status: 200 })
    expect(behind.asked).toEqual(["address 198.51.100.7"])
  }
})
