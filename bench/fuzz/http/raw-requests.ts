/**
 * Bytes on a connection to the port: requests that were changed byte by byte, several in a row, odd heads, other
 * protocols and noise. Owns their making; sends nothing.
 */
import type { Random } from "../random.ts"
import { badText } from "../values.ts"
import { type Making, type RequestInput, requestInput } from "./request-inputs.ts"

const lineEnds = ["\r\n", "\n", "\r", "\r\n\r\n", "\n\n", "\0", " \r\n", "\r\n\t"]

const oddLines = [
  "content-length: -1",
  "content-length: 5\r\ncontent-length: 5",
  "content-length: 99999999999999999999",
  "content-length: 0x10",
  "content-length:",
  "content-length: 4, 4",
  "transfer-encoding: chunked\r\ncontent-length: 3",
  "transfer-encoding: gzip, chunked",
  "transfer-encoding: \u000bchunked",
  "transfer-encoding : chunked",
  "connection: close",
  "connection: keep-alive, upgrade",
  "connection: upgrade\r\nupgrade: websocket",
  "upgrade: h2c\r\nhttp2-settings: AAAA",
  "expect: 100-continue",
  "host: a\r\nhost: b",
  "host:",
  ": no name",
  "no colon",
  " folded: line",
  "a\0b: c",
  "x-é: é",
  "authorization: Bearer \xff\xfe",
  "authorization: Basic Og==",
  "range: bytes=0-0,1-1,2-2,-9999999999999999999",
  "if-none-match: *"
]

const firstLines = [
  "GET / HTTP/1.0",
  "GET / HTTP/2.0",
  "GET / HTTP/1.1 ",
  "GET  / HTTP/1.1",
  "GET /",
  "GET http://127.0.0.1/api/v1/me HTTP/1.1",
  "CONNECT 127.0.0.1:80 HTTP/1.1",
  "OPTIONS * HTTP/1.1",
  "get /healthz HTTP/1.1",
  "GET /%00 HTTP/1.1",
  "GET //healthz HTTP/1.1",
  "GET /../healthz HTTP/1.1",
  "GET ?a HTTP/1.1",
  "G\0T / HTTP/1.1",
  "PRI * HTTP/2.0",
  ""
]

const otherProtocols = [
  Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", "latin1"),
  Buffer.from("1603010200010001fc0303", "hex"),
  Buffer.from("SSH-2.0-OpenSSH_9.6\r\n"),
  Buffer.from("*1\r\n$4\r\nPING\r\n"),
  Buffer.from("PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET /healthz HTTP/1.1\r\nhost: a\r\n\r\n"),
  Buffer.from("\x05\x01\0", "latin1")
]

const chunkedBodies = [
  "5\r\nhello\r\n0\r\n\r\n",
  "5;a=b\r\nhello\r\n0\r\n\r\n",
  "fffffffffffffffff\r\n",
  "-1\r\n",
  "\r\n\r\n",
  "0\r\nx: y\r\n\r\n",
  "2\r\n{}0\r\n\r\n",
  "2\r\n{}\r\n00000000\r\n\r\nGET /healthz HTTP/1.1\r\nhost: a\r\n\r\n",
  "g\r\n"
]

/** Some bytes replaced, removed or put in. */
export const changedBytes = (random: Random, bytes: Buffer): Buffer => {
  let changed = bytes
  for (let count = random.between(1, 6); count > 0; count--) {
    const at = random.below(changed.length + 1)
    const [before, after] = [changed.subarray(0, at), changed.subarray(at)]
    const length = random.between(0, 16)
    switch (random.below(5)) {
      case 0:
        changed = Buffer.concat([before, random.bytes(random.between(1, 6)), after])
        break
      case 1:
        changed = Buffer.concat([before, after.subarray(length)])
        break
      case 2:
        changed = Buffer.concat([before, random.bytes(Math.min(length, after.length)), after.subarray(length)])
        break
      case 3:
        changed = Buffer.concat([before, Buffer.from(random.of(lineEnds)), after])
        break
      default:
        changed = Buffer.concat([before, after.subarray(0, length), after])
    }
  }
  return changed
}

const withLines = (random: Random, bytes: Buffer): Buffer => {
  const end = bytes.indexOf("\r\n") + 2
  const lines = Array.from({ length: random.between(1, 3) }, () => `${random.of(oddLines)}\r\n`)
  return Buffer.concat([bytes.subarray(0, end), Buffer.from(lines.join(""), "latin1"), bytes.subarray(end)])
}

const crowdedHead = (random: Random, { host }: Making): Buffer => {
  const many = random.of([50, 99, 100, 101, 300])
  const long = random.of([100, 4_000, 16_000, 70_000])
  const lines = random.percent(50)
    ? Array.from({ length: many }, (_, at) => `x-${at}: ${at}`)
    : [`x-long: ${"a".repeat(long)}`]
  return Buffer.from(`GET /healthz HTTP/1.1\r\nhost: ${host}\r\n${lines.join("\r\n")}\r\n\r\n`)
}

const inChunks = (random: Random, { host }: Making): Buffer => {
  const path = random.of(["/api/v1/registry/providers", "/api/v1/auth/login", "/api/v1/auth/logout", "/healthz"])
  const head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ntransfer-encoding: chunked\r\n\r\n`
  return Buffer.from(head + random.of(chunkedBodies))
}

const odd = (random: Random, { host }: Making): Buffer => {
  const first = random.percent(60) ? random.of(firstLines) : `${badText(random)} / HTTP/1.1`
  const text = `${first}\r\nhost: ${host}\r\n${random.of(oddLines)}${random.of(lineEnds)}\r\n`
  return Buffer.from(text, "latin1")
}

const bytesOf = (making: Making, random: Random): Buffer => {
  const whole = (): Buffer => requestInput(making, random).bytes
  switch (random.below(12)) {
    case 0:
    case 1:
    case 2:
      return changedBytes(random, whole())
    case 3:
    case 4:
      return withLines(random, whole())
    case 5:
      return Buffer.concat(Array.from({ length: random.between(2, 8) }, whole))
    case 6: {
      const bytes = whole()
      return bytes.subarray(0, random.below(bytes.length))
    }
    case 7:
      return crowdedHead(random, making)
    case 8:
      return inChunks(random, making)
    case 9:
      return odd(random, making)
    case 10:
      return random.of(otherProtocols)
    default:
      return random.bytes(random.between(1, random.percent(95) ? 400 : 20_000))
  }
}

/** Bytes that are no request in order. */
export const rawRequest = (making: Making, random: Random): RequestInput => {
  const bytes = bytesOf(making, random)
  return {
    bytes,
    says: `bytes ${JSON.stringify(bytes.toString("latin1", 0, 160))}`,
    of: "",
    isHead: bytes.includes("HEAD"),
    isRaw: true,
    waits: true
  }
}
