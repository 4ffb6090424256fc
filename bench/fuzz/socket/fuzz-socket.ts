/**
 * A daemon's connection for any bytes: the upgrade, what is written after it, and what the hub says. Owns the socket
 * and the reading; judges nothing.
 */
import { connect, type Socket } from "node:net"
import { frame } from "../../../test/support/raw-websocket-connection.ts"
import { FrameReader, opcode } from "../../fleet/frames.ts"
import { type Answer, AnswerReader } from "../http/answers.ts"

const switched = 101
const headEnd = "\r\n\r\n"
const nothing = Buffer.alloc(0)

/** A frame of the hub. */
export interface HubFrame {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** One connection. */
export class FuzzSocket {
  /** The answers to what was no upgrade. */
  readonly answers: Array<Answer> = []
  /** What the hub said that is no frame of the protocol. */
  readonly wrong: Array<string> = []
  /** The code it closed with; undefined where it said none. */
  code: number | undefined
  /** The hub let the socket open. What is written before that is no frame. */
  isOpen = false
  readonly opened: Promise<void>
  readonly closed: Promise<void>
  onFrame: (frame: HubFrame) => void = () => {}
  onPong: () => void = () => {}
  /** Something came. */
  onBytes: () => void = () => {}
  readonly #socket: Socket
  readonly #reader = new AnswerReader()
  readonly #opened = Promise.withResolvers<void>()
  #frames: FrameReader | undefined
  #head: Buffer = nothing

  constructor(url: URL, from: string, upgrade: Buffer) {
    const socket = connect({ host: url.hostname, port: Number(url.port), localAddress: from }).setNoDelay(true)
    this.#socket = socket
    this.opened = this.#opened.promise
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()))
    socket.on("error", () => socket.destroy())
    socket.on("data", (chunk) => {
      this.#bytes(chunk)
      this.onBytes()
    })
    socket.write(upgrade)
  }

  /** Sends a message. */
  message(payload: Buffer, isBinary = false): void {
    this.#socket.write(frame(isBinary ? 2 : opcode.text, payload))
  }

  /** Asks whether the hub still reads. */
  ping(): void {
    this.#socket.write(frame(opcode.ping, "fuzz"))
  }

  /** Sends bytes as they are. */
  raw(bytes: Buffer): void {
    this.#socket.write(bytes)
  }

  cut(): void {
    this.#socket.destroy()
  }

  #bytes(chunk: Buffer): void {
    if (this.#frames !== undefined) return this.#frames.push(chunk, (code, payload) => this.#frame(code, payload))
    this.#head = Buffer.concat([this.#head, chunk])
    if (!this.#head.toString("latin1", 0, 12).startsWith(`HTTP/1.1 ${switched}`)) {
      this.#reader.push(chunk, false, (answer) => this.answers.push(answer))
      if (this.#reader.isBroken) this.wrong.push("what came is no HTTP answer")
      return
    }
    const end = this.#head.indexOf(headEnd)
    if (end < 0) return
    this.isOpen = true
    this.#opened.resolve()
    this.#frames = new FrameReader()
    this.#frames.push(this.#head.subarray(end + headEnd.length), (code, payload) => this.#frame(code, payload))
  }

  #frame(code: number, payload: Buffer): void {
    if (code === opcode.ping) return void this.#socket.write(frame(opcode.pong, payload))
    if (code === opcode.pong) return this.onPong()
    if (code === opcode.close) {
      this.code = payload.length >= 2 ? payload.readUInt16BE(0) : undefined
      this.#socket.end(frame(opcode.close, payload.subarray(0, 2)))
      return
    }
    try {
      const said = JSON.parse(payload.toString("utf8")) as HubFrame
      if (code !== opcode.text || typeof said.type !== "string" || typeof said.data !== "object") throw new Error()
      this.onFrame(said)
    } catch {
      this.wrong.push(`no frame of the protocol: ${payload.toString("utf8", 0, 200)}`)
    }
  }
}
