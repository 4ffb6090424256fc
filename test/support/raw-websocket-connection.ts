/**
 * A WebSocket byte by byte, for what no library sends. Owns a TCP connection, the writing and the reading of frames;
 * judges nothing.
 */
import { connect } from "node:net"
import { FrameReader, upgradeRequest } from "../../bench/fleet/frames.ts"
import { until } from "./until.ts"

/** How a frame differs from a whole one that is in order. */
interface Odd {
  readonly final?: boolean
  readonly reserved?: number
}

const mask = Buffer.of(0x11, 0x22, 0x33, 0x44)

/** A frame of a client, with a mask. */
export const frame = (code: number, payload: string | Buffer, { final = true, reserved = 0 }: Odd = {}): Buffer => {
  const bytes = Buffer.from(payload)
  const first = (final ? 0x80 : 0) | reserved | code
  const short = bytes.length <= 125 ? bytes.length : bytes.length <= 65_535 ? 126 : 127
  const head = Buffer.alloc(short <= 125 ? 2 : short === 126 ? 4 : 10)
  head.set([first, 0x80 | short])
  if (short === 126) head.writeUInt16BE(bytes.length, 2)
  if (short === 127) head.writeBigUInt64BE(BigInt(bytes.length), 2)
  for (let at = 0; at < bytes.length; at++) bytes[at] = bytes[at]! ^ mask[at % mask.length]!
  return Buffer.concat([head, mask, bytes])
}

/** One of them. */
export interface RawSocket {
  readonly write: (bytes: Buffer) => void
  /** All frames that came. */
  readonly frames: ReadonlyArray<{ readonly code: number; readonly payload: Buffer }>
  /** The payload of the next frame with this opcode that nobody took yet. */
  readonly next: (code: number) => Promise<Buffer>
  readonly closed: Promise<void>
  /** Bytes that the system has not taken. */
  readonly unsent: () => number
  readonly destroy: () => void
}

/** Connects and upgrades, with a token where one is given. One that `lingers` does not close when the hub does. */
export const openRaw = async (
  url: string,
  token: string,
  localAddress?: string,
  lingers = false
): Promise<RawSocket> => {
  const { hostname, port } = new URL(url)
  const socket = connect({
    host: hostname,
    port: Number(port),
    allowHalfOpen: lingers,
    ...(localAddress === undefined ? {} : { localAddress })
  })
  const reader = new FrameReader()
  const frames: Array<{ code: number; payload: Buffer; taken: boolean }> = []
  let head = ""
  let isOpen = false
  let over = false
  socket.on("error", () => {})
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      over = true
      resolve()
    })
  })
  const keep = (code: number, payload: Buffer): void =>
    void frames.push({ code, payload: Buffer.from(payload), taken: false })
  socket.on("data", (chunk) => {
    if (isOpen) return reader.push(chunk, keep)
    head += chunk.toString("latin1")
    const end = head.indexOf("\r\n\r\n")
    if (end < 0) return
    isOpen = head.startsWith("HTTP/1.1 101")
    if (isOpen) reader.push(Buffer.from(head.slice(end + 4), "latin1"), keep)
    else socket.destroy()
  })
  const request = upgradeRequest(`${hostname}:${port}`, "/api/v1/daemons/connect", token)
  socket.write(token === "" ? request.replace("Authorization: Bearer \r\n", "") : request)
  await until("the upgrade or its refusal", () => isOpen || over)
  if (!isOpen) throw new Error(`the socket was refused: ${head.slice(9, 12)}`)
  return {
    write: (bytes) => void socket.write(bytes),
    frames,
    next: (code) =>
      until(`a frame with opcode ${code}`, () => {
        const found = frames.find((one) => one.code === code && !one.taken)
        if (found !== undefined) found.taken = true
        return found?.payload
      }),
    closed,
    unsent: () => socket.writableLength,
    destroy: () => void socket.destroy()
  }
}
