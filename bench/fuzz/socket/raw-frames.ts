/**
 * What no library sends on a WebSocket: frames that RFC 6455 forbids, cut in odd places, noise, and upgrades that are
 * none. Owns their making; sends nothing.
 */
import { frame } from "../../../test/support/raw-websocket-connection.ts"
import { changedBytes } from "../http/raw-requests.ts"
import type { Random } from "../random.ts"
import { badText, jsonText } from "../values.ts"
import { authInput, frameInput } from "./frame-inputs.ts"

/** Bytes for a connection of their own, with the upgrade among them. */
export interface RawFrames {
  readonly upgrade: Buffer
  /** Whether the upgrade is in order: then a socket opens. */
  readonly opens: boolean
  /** What follows the upgrade, a write each. */
  readonly writes: ReadonlyArray<Buffer>
}

const path = "/api/v1/daemons/connect"
const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 }

const upgradeLines = (random: Random, host: string, token: string | undefined): ReadonlyArray<string> => [
  `GET ${path} HTTP/1.1`,
  `host: ${host}`,
  "connection: Upgrade",
  "upgrade: websocket",
  "sec-websocket-version: 13",
  `sec-websocket-key: ${random.bytes(16).toString("base64")}`,
  ...(token === undefined ? [] : [`authorization: Bearer ${token}`])
]

const oddLines = [
  "sec-websocket-version: 8",
  "sec-websocket-version: 13, 8",
  "sec-websocket-key: short",
  "sec-websocket-key:",
  "sec-websocket-protocol: hub.token.x, hub",
  "sec-websocket-protocol: hub, hub.token.",
  "sec-websocket-protocol: ,,,",
  "sec-websocket-extensions: permessage-deflate; client_max_window_bits",
  'sec-websocket-extensions: x; y="z',
  "origin: http://evil.example",
  "origin: null",
  "content-length: 4",
  "transfer-encoding: chunked",
  "connection: close",
  "upgrade: h2c",
  "authorization: Bearer hubd_junk"
]

const oddUpgrade = (random: Random, host: string, token: string | undefined): Buffer => {
  const lines = [...upgradeLines(random, host, token)]
  for (let count = random.between(1, 3); count > 0; count--) {
    const at = random.between(1, lines.length - 1)
    if (random.percent(50)) lines.splice(at, 1)
    else lines.splice(at, random.below(2), random.of(oddLines))
    if (lines.length < 3) break
  }
  const bytes = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1")
  return random.percent(70) ? bytes : changedBytes(random, bytes)
}

const lengthLies = (random: Random): Buffer => {
  const size = random.of([126, 127])
  const bytes = Buffer.alloc(2 + (size === 126 ? 2 : 8) + 4)
  bytes.set([0x81, 0x80 | size])
  if (size === 126) bytes.writeUInt16BE(random.of([0, 1, 125, 65_535]), 2)
  else bytes.writeBigUInt64BE(random.of([0n, 1n, 65_535n, 2n ** 31n, 2n ** 63n, 2n ** 64n - 1n, 70_000_000n]), 2)
  return bytes
}

const closing = (random: Random): Buffer => {
  const payload = random.bytes(random.of([0, 1, 2, 3, 20, 125, 126]))
  if (payload.length >= 2) payload.writeUInt16BE(random.of([0, 999, 1000, 1004, 1005, 1006, 1015, 3000, 5000, 65_535]))
  return frame(opcodes.close, payload)
}

const split = (random: Random, payload: Buffer): ReadonlyArray<Buffer> => {
  const at = random.below(payload.length + 1)
  return [
    frame(opcodes.text, payload.subarray(0, at), { final: false }),
    ...(random.percent(40) ? [frame(opcodes.ping, random.bytes(random.below(20)))] : []),
    frame(random.percent(80) ? opcodes.continuation : opcodes.text, payload.subarray(at))
  ]
}

const oddFrames = (random: Random): ReadonlyArray<Buffer> => {
  const { payload } = frameInput(random, undefined)
  const code = random.of(Object.values(opcodes))
  switch (random.below(12)) {
    case 0:
      return [frame(random.between(3, 15), random.bytes(random.below(140)))]
    case 1:
      return [frame(code, payload.subarray(0, 120), { reserved: random.of([0x10, 0x20, 0x40, 0x70]) })]
    case 2:
      return [frame(random.of([opcodes.close, opcodes.ping, opcodes.pong]), random.bytes(5), { final: false })]
    case 3:
      return [frame(random.of([opcodes.ping, opcodes.pong]), random.bytes(random.of([0, 125, 126, 1_000])))]
    case 4:
      return [frame(opcodes.continuation, payload)]
    case 5:
    case 6:
      return split(random, payload)
    case 7:
      return [lengthLies(random), random.bytes(random.below(200))]
    case 8:
      return [closing(random), frame(opcodes.text, payload)]
    case 9:
      return [frame(opcodes.text, changedBytes(random, payload))]
    case 10: {
      const whole = frame(opcodes.text, payload)
      // without its mask
      whole[1] = whole[1]! & 0x7f
      return [whole]
    }
    default:
      return random.percent(50) ? [random.bytes(random.between(1, 300))] : [changedBytes(random, frame(1, payload))]
  }
}

const closeHead = 0x80 | opcodes.close
/** After the head of a short frame come four bytes of mask, and then the code. */
const [maskAt, codeAt, codeEnd] = [2, 6, 8]

/** Whether these bytes hold a client's close frame with this code, which the hub then echoes (RFC 6455, 5.5.1). */
export const holdsClose = (bytes: Buffer, code: number): boolean => {
  for (
    let at = bytes.indexOf(closeHead);
    at >= 0 && at + codeEnd <= bytes.length;
    at = bytes.indexOf(closeHead, at + 1)
  )
    if ((bytes.readUInt16BE(at + maskAt) ^ bytes.readUInt16BE(at + codeAt)) === code) return true
  return false
}

/** The bytes of one connection. */
export const rawFrames = (random: Random, host: string, token: string): RawFrames => {
  // few sockets may be open whose token is to come in a frame
  const inHead = random.percent(85) ? token : undefined
  if (random.percent(25)) return { upgrade: oddUpgrade(random, host, inHead), opens: false, writes: [] }
  const upgrade = Buffer.from(`${upgradeLines(random, host, inHead).join("\r\n")}\r\n\r\n`, "latin1")
  const writes: Array<Buffer> = []
  if (random.percent(60))
    writes.push(frame(opcodes.text, authInput(random, inHead === undefined ? token : undefined).payload))
  for (let count = random.between(1, 4); count > 0; count--) writes.push(...oddFrames(random))
  if (random.percent(5)) writes.push(Buffer.from(jsonText({ text: badText(random) })))
  return { upgrade, opens: true, writes: random.percent(60) ? writes : [Buffer.concat(writes)] }
}
