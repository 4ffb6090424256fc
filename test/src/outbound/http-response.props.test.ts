/** Responses of HTTP/1.1 as anyone may write, cut and damage them, against Node's own reader of them. */
import { request } from "node:http"
import { Duplex } from "node:stream"
import { describe, expect, it } from "vitest"
import { responseHeadBytesMax } from "../../../src/limits/delivery.ts"
import { HttpResponse, NoResponse } from "../../../src/outbound/http-response.ts"
import { fc, forAll } from "../../support/properties.ts"

const read = (pieces: ReadonlyArray<Buffer>) => {
  let status = 0
  const body: Array<Buffer> = []
  const response = new HttpResponse({
    head: (given) => {
      status = given
    },
    body: (bytes) => body.push(bytes)
  })
  for (const piece of pieces) response.read(piece)
  const { over, reusable } = response
  const whole = response.closed()
  return { status, body: Buffer.concat(body).toString("latin1"), over, reusable, whole }
}

const readOrRefuse = (pieces: ReadonlyArray<Buffer>) => {
  try {
    return read(pieces)
  } catch (error) {
    expect(error).toBeInstanceOf(NoResponse)
    return undefined
  }
}

const cut = (bytes: Buffer, places: ReadonlyArray<number>): Array<Buffer> => {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end))
}

const word = fc.stringMatching(/^[a-z]{1,8}$/u)
const places = fc.array(fc.nat(100_000), { maxLength: 12 })

const chunked = (body: string, size: number, extension: string, trailer: string): string => {
  let text = ""
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.slice(at, at + size)
    text += `${chunk.length.toString(16)}${extension}\r\n${chunk}\r\n`
  }
  return `${text}0\r\n${trailer}\r\n`
}

/** A valid response, and what is to be read of it. */
const valid = fc
  .record({
    status: fc.integer({ min: 200, max: 599 }),
    minor: fc.constantFrom("0", "1"),
    hints: fc.nat(3),
    connection: fc.constantFrom(undefined, "keep-alive", "close"),
    framing: fc.constantFrom("length", "chunked", "closed"),
    body: fc.string({ maxLength: 60, unit: fc.constantFrom("a", "\r", "\n", "0", "H", "\u00ff") }),
    size: fc.integer({ min: 1, max: 20 }),
    extension: fc.constantFrom("", ";a=b", ';a="b"'),
    trailer: fc.option(word, { nil: undefined })
  })
  .map((given) => {
    const { status, minor, connection, framing, size, extension } = given
    const empty = status === 204 || status === 304
    const body = empty ? "" : given.body
    let head = `HTTP/1.${minor} ${status} -\r\n`
    if (connection !== undefined) head += `Connection: ${connection}\r\n`
    if (!empty && framing === "length") head += `Content-Length: ${body.length}\r\n`
    if (!empty && framing === "chunked") head += "Transfer-Encoding: chunked\r\n"
    const trailer = given.trailer === undefined ? "" : `${given.trailer}: x\r\n`
    const content = !empty && framing === "chunked" ? chunked(body, size, extension, trailer) : body
    const lasts = minor === "1" ? connection !== "close" : connection === "keep-alive"
    const bytes = Buffer.from(
      `${"HTTP/1.1 103 -\r\nlink: a\r\n\r\n".repeat(given.hints)}${head}\r\n${content}`,
      "latin1"
    )
    const over = empty || framing !== "closed"
    return { bytes, expected: { status, body, over, reusable: over && lasts, whole: true } }
  })

/** Some bytes of it are others, or gone, or there twice. */
const damaged = fc
  .tuple(
    valid,
    fc.array(
      fc.tuple(fc.nat(1_000), fc.nat(2), fc.constantFrom("\r", "\n", "\0", " ", "\t", ":", ",", ";", "0", "\u00a0")),
      { minLength: 1, maxLength: 4 }
    )
  )
  .map(([{ bytes }, changes]) => {
    let text = bytes.toString("latin1")
    for (const [place, kept, by] of changes) {
      const at = place % (text.length + 1)
      text = `${text.slice(0, at)}${by}${text.slice(at + kept)}`
    }
    return Buffer.from(text, "latin1")
  })

/** What Node reads of the bytes; undefined: it refuses them. */
const readByNode = (bytes: Buffer): Promise<{ readonly status: number; readonly body: string } | undefined> =>
  new Promise((resolve) => {
    let given = false
    const socket = new Duplex({
      read: () => undefined,
      write: (_chunk, _encoding, done) => {
        if (!given) {
          given = true
          socket.push(bytes)
          socket.push(null)
        }
        done()
      }
    })
    const one = request({ method: "POST", createConnection: () => socket as never }, (response) => {
      const body: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => body.push(chunk))
      response.on("error", () => resolve(undefined))
      response.on("end", () => {
        resolve({ status: response.statusCode!, body: Buffer.concat(body).toString("latin1") })
      })
    })
    one.on("error", () => resolve(undefined))
    one.end()
  })

describe("a response", () => {
  it("is read the same, wherever it is cut", () =>
    forAll(valid, places, ({ bytes, expected }, at) => {
      expect(read(cut(bytes, at))).toEqual(expected)
    }))

  it("with bytes behind it leaves no connection for the next request", () =>
    forAll(valid, places, ({ bytes, expected }, at) => {
      const more = cut(Buffer.concat([bytes, Buffer.from("HTTP/1.1 200 OK\r\n\r\n")]), at)
      expect(read(more).reusable).toBe(false)
      if (expected.over) expect(read(more)).toMatchObject({ status: expected.status, body: expected.body })
    }))

  it("that is damaged is refused or read, and the same wherever it is cut", () =>
    forAll(damaged, places, (bytes, at) => {
      expect(readOrRefuse(cut(bytes, at))).toEqual(readOrRefuse([bytes]))
    }))

  it("of any bytes is refused or read", () =>
    forAll(fc.uint8Array({ maxLength: 200 }), places, (bytes, at) => {
      readOrRefuse(cut(Buffer.from(bytes), at))
    }))

  it("leaves a connection for the next request only where Node reads the same", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          valid.map(({ bytes }) => bytes),
          damaged
        ),
        async (bytes) => {
          const own = readOrRefuse([bytes])
          if (own?.reusable !== true) return
          expect(await readByNode(bytes)).toEqual({ status: own.status, body: own.body })
        }
      ),
      { numRuns: 600, seed: 1 }
    )
  })
})

it.each([
  ["head", "HTTP/1.1 200 OK\r\nx: "],
  ["chunk line", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;"]
])("a response byte by byte copies a long %s a few times over, not once for each byte", (_, start) => {
  const { copy } = Buffer.prototype
  let copied = 0
  Buffer.prototype.copy = function (this: Buffer, ...given: Parameters<typeof copy>) {
    const bytes = copy.apply(this, given)
    copied += bytes
    return bytes
  }
  try {
    const text = Buffer.from(start + "a".repeat(responseHeadBytesMax - start.length))
    read([...text].map((byte) => Buffer.from([byte])))
  } finally {
    Buffer.prototype.copy = copy
  }
  expect(copied).toBeGreaterThan(responseHeadBytesMax / 2)
  expect(copied).toBeLessThan(responseHeadBytesMax * 4)
})

describe("what another could read otherwise", () => {
  const chunks = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
  it.each([
    ["a bare line feed in the status line", "HTTP/1.1 200 OK\nx: y\r\ncontent-length: 0\r\n\r\n"],
    ["a folded status line", "HTTP/1.1 200 OK\r\n x: y\r\ncontent-length: 0\r\n\r\n"],
    ["a control character in a header", "HTTP/1.1 200 OK\r\nx: \u0001\r\ncontent-length: 0\r\n\r\n"],
    ["a length with a blank that is no blank", "HTTP/1.1 200 OK\r\ncontent-length: 0\u00a0\r\n\r\n"],
    ["a bare line feed in a chunk extension", `${chunks}2;\nx\r\nok\r\n0\r\n\r\n`],
    ["a word behind a chunk size", `${chunks}2 x\r\nok\r\n0\r\n\r\n`],
    ["a trailer that is no header", `${chunks}0\r\nHTTP/1.1 200 OK\r\n\r\n`],
    ["long extensions", chunks + `1;${"a".repeat(1_000)}\r\na\r\n`.repeat(17)]
  ])("is refused: %s", (_, text) => expect(() => read([Buffer.from(text, "latin1")])).toThrow(NoResponse))

  it.each([
    ["a folded header", "HTTP/1.1 200 OK\r\nx: a\r\n\t b\r\ncontent-length:\r\n 2\r\n\r\nok"],
    ["a hint of HTTP/1.0", "HTTP/1.0 103 -\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"],
    ["a padded chunk size", `${chunks}2 \r\nok\r\n0\r\n\r\n`],
    ["a padded extension", `${chunks}2;a="b" \r\nok\r\n0\r\n\r\n`],
    ["no content, of a length", "HTTP/1.1 204 -\r\ncontent-length: 2\r\n\r\n"],
    ["no content, in chunks", "HTTP/1.1 204 -\r\ntransfer-encoding: chunked\r\n\r\n"]
  ])("is read, and its connection closed: %s", (_, text) =>
    expect(read([Buffer.from(text, "latin1")])).toMatchObject({ over: true, reusable: false })
  )
})
