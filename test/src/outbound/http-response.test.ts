/** Responses of HTTP/1.1, however their bytes are cut. */
import { describe, expect, it } from "vitest"
import { responseHeadBytesMax, responseLinesMax } from "../../../src/limits/delivery.ts"
import { HttpResponse, NoResponse } from "../../../src/outbound/http-response.ts"

/** What is read of a text that comes in pieces of so many bytes. */
const read = (text: string, size = text.length, names: ReadonlyArray<string> = []) => {
  const heads: Array<number> = []
  const headers: Array<string | undefined> = []
  let body = ""
  const response = new HttpResponse({
    head: (status, header) => {
      heads.push(status)
      for (const name of names) headers.push(header(name))
    },
    body: (bytes) => {
      body += bytes.toString("latin1")
    }
  })
  const bytes = Buffer.from(text, "latin1")
  for (let at = 0; at < bytes.length; at += size) response.read(bytes.subarray(at, at + size))
  return { heads, headers, body, over: response.over, reusable: response.reusable, closed: () => response.closed() }
}

const whole = { over: true, reusable: true }

describe("a response", () => {
  it.each([
    ["without a body", "HTTP/1.1 204 No Content\r\ndate: x\r\n\r\n", [204], ""],
    ["not modified, whatever length it names", "HTTP/1.1 304 -\r\ncontent-length: 7\r\n\r\n", [304], ""],
    ["of a length", "HTTP/1.1 200 OK\r\nContent-Length:  5 \r\n\r\nhello", [200], "hello"],
    ["of no length", "HTTP/1.1 500\r\ncontent-length: 0\r\n\r\n", [500], ""],
    [
      "in chunks",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, Chunked\r\n\r\n3;a=b\r\nhel\r\n002\r\nlo\r\n0\r\nx: y\r\n\r\n",
      [200],
      "hello"
    ],
    [
      "after a hint",
      "HTTP/1.1 103 -\r\nlink: a\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
      [103, 200],
      "ok"
    ],
    ["of HTTP/1.0 that lasts", "HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 2\r\n\r\nok", [200], "ok"]
  ])("%s is read, in pieces of any size", (_, text, heads, body) => {
    for (let size = 1; size <= text.length; size++) expect(read(text, size)).toMatchObject({ heads, body, ...whole })
  })

  it.each([
    ["says close", "HTTP/1.1 200 OK\r\nconnection: x, close\r\ncontent-length: 0\r\n\r\n"],
    ["is of HTTP/1.0", "HTTP/1.0 204 -\r\n\r\n"],
    ["is followed by what nobody asked for", "HTTP/1.1 204 -\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"]
  ])("that %s ends its connection", (_, text) => expect(read(text)).toMatchObject({ over: true, reusable: false }))

  it("of no known length is whole when its connection ends", () => {
    const response = read("HTTP/1.1 200 OK\r\n\r\nhello", 3)
    expect([response.body, response.over, response.closed()]).toEqual(["hello", false, true])
  })

  it.each([
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\no",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"
  ])("that is cut is not whole when its connection ends: %j", (text) => expect(read(text).closed()).toBe(false))

  it("gives its headers by their names: of two that are not lists, the first", () => {
    const text =
      "HTTP/1.1 200 OK\r\nRetry-After: 7\r\nretry-after: 9\r\nKEEP-ALIVE: timeout=5\r\ncontent-length: 0\r\n\r\n"
    expect(read(text, 1, ["retry-after", "keep-alive", "x"]).headers).toEqual(["7", "timeout=5", undefined])
  })
})

describe("what is no response", () => {
  const long = "a".repeat(responseHeadBytesMax)
  it.each([
    ["another protocol", "SSH-2.0-x\r\n\r\n"],
    ["another version", "HTTP/2.0 200 OK\r\n\r\n"],
    ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
    ["an upgrade", "HTTP/1.1 101 Over\r\nupgrade: x\r\n\r\n"],
    ["a header without a colon", "HTTP/1.1 200 OK\r\nx\r\n\r\n"],
    ["a header with a space in its name", "HTTP/1.1 200 OK\r\ncontent-length : 2\r\n\r\nok"],
    ["a bare line feed in a header", "HTTP/1.1 200 OK\r\nx: a\ncontent-length: 2\r\n\r\nok"],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nok"],
    ["a length that is no number", "HTTP/1.1 200 OK\r\ncontent-length: +2\r\n\r\nok"],
    ["a length and chunks", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n"],
    ["a chunk without a size", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"],
    ["a size with more behind it", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2x\r\nok\r\n0\r\n\r\n"],
    [
      "a chunk that is longer than its size",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nokk\r\n0\r\n\r\n"
    ],
    ["a long head", `HTTP/1.1 200 OK\r\nx: ${long}\r\n\r\n`],
    ["a head without an end", `HTTP/1.1 200 OK\r\nx: ${long}`],
    ["a long line between chunks", `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;${long}`],
    ["many lines", `HTTP/1.1 200 OK\r\n${"x:\r\n".repeat(responseLinesMax + 1)}\r\n`],
    ["long hints", `HTTP/1.1 103 -\r\nx: ${"a".repeat(6_000)}\r\n\r\n`.repeat(3)],
    [
      "long trailers",
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n${`x: ${"a".repeat(1_000)}\r\n`.repeat(17)}`
    ]
  ])("is refused, in pieces of any size: %s", (_, text) => {
    const sizes = text.length < responseHeadBytesMax ? [1, 2, 7, text.length] : [64, text.length]
    for (const size of sizes) expect(() => read(text, size)).toThrow(NoResponse)
  })
})
