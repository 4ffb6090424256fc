/**
 * The WebSocket wire as a simulated daemon needs it: frames out with a mask of zeros (legal, and what is sent is what
 * is written), frames in as they come. Owns the bytes; holds no socket and reads no JSON.
 */
import { randomBytes } from "node:crypto"

const finalText = 0x81
const masked = 0x80
const maskBytes = 4
const shortMax = 125
const middleMax = 65_535

/** What a frame is. */
export const opcode = { text: 1, close: 8, ping: 9, pong: 10 } as const

const lengthBytes = (bytes: number): number => (bytes <= shortMax ? 0 : bytes <= middleMax ? 2 : 8)

const writeHead = (into: Buffer, at: number, first: number, bytes: number): number => {
  const extra = lengthBytes(bytes)
  into[at] = first
  into[at + 1] = masked | (extra === 0 ? bytes : extra === 2 ? 126 : 127)
  if (extra === 2) into.writeUInt16BE(bytes, at + 2)
  if (extra === 8) into.writeBigUInt64BE(BigInt(bytes), at + 2)
  into.writeUInt32BE(0, at + 2 + extra)
  return at + 2 + extra + maskBytes
}

/** Several ASCII texts as frames, one after another in one buffer: one write. */
export const textFrames = (texts: ReadonlyArray<string>): Buffer => {
  let size = 0
  for (const text of texts) size += 2 + lengthBytes(text.length) + maskBytes + text.length
  const into = Buffer.allocUnsafe(size)
  let at = 0
  for (const text of texts) {
    at = writeHead(into, at, finalText, text.length)
    at += into.write(text, at, "latin1")
  }
  return into
}

/** The answer to a ping. */
export const pongFrame = (payload: Buffer): Buffer => {
  const into = Buffer.allocUnsafe(2 + maskBytes + payload.length)
  payload.copy(into, writeHead(into, 0, masked | opcode.pong, payload.length))
  return into
}

/** A goodbye with its code. */
export const closeFrame = (code: number): Buffer => {
  const into = Buffer.allocUnsafe(2 + maskBytes + 2)
  into.writeUInt16BE(code, writeHead(into, 0, masked | opcode.close, 2))
  return into
}

/** The request that turns a connection into the socket of the daemon with this token. */
export const upgradeRequest = (host: string, path: string, token: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: Bearer ${token}\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n\r\n`

const nothing = Buffer.alloc(0)

/** Cuts a stream of bytes into the server's frames. Keeps only what is not yet a whole frame. */
export class FrameReader {
  #rest: Buffer = nothing

  /** Gives every whole frame to `each`. */
  push(chunk: Buffer, each: (code: number, payload: Buffer) => void): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let at = 0
    while (bytes.length - at >= 2) {
      const short = bytes[at + 1]! & 0x7f
      const extra = short === 126 ? 2 : short === 127 ? 8 : 0
      if (bytes.length - at < 2 + extra) break
      const size =
        extra === 0 ? short : extra === 2 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
      const from = at + 2 + extra
      if (bytes.length < from + size) break
      each(bytes[at]! & 0x0f, bytes.subarray(from, from + size))
      at = from + size
    }
    // a copy: the chunk is the runtime's and may be large
    this.#rest = at === bytes.length ? nothing : Buffer.from(bytes.subarray(at))
  }
}
