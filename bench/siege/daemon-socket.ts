/**
 * One daemon's socket as bytes, for regular daemons and for attackers: understood by hubs that read the token from the
 * upgrade and by older ones that read it from `auth` only. Owns the handshake; what is said afterwards is its user's.
 */
import type { Socket } from "node:net"
import { closeFrame, FrameReader, opcode, pongFrame, textFrames, upgradeRequest } from "../fleet/frames.ts"
import { dial } from "../load/dial.ts"

const headEnd = "\r\n\r\n"
const path = "/api/v1/daemons/connect"
const left = 1000
const crowded = 4503
const abrupt = 1006

/** Why a socket is over: the status of a refused upgrade, or the code of the close. */
export interface SocketEnd {
  readonly code: number
  /** The hub said when to come back. */
  readonly putOff: boolean
}

/** What its user is told. */
export interface DaemonListener {
  readonly ready?: (socket: DaemonSocket) => void
  readonly command?: (id: string, socket: DaemonSocket, payload: Readonly<Record<string, unknown>>) => void
  /** Any other frame. */
  readonly other?: (type: string, data: Readonly<Record<string, unknown>>, socket: DaemonSocket) => void
  /** The optional parts of the protocol that it says it knows. */
  readonly capabilities?: ReadonlyArray<string>
  readonly acked?: (count: number) => void
  readonly gone?: (gone: SocketEnd) => void
}

/** A daemon's socket. */
export class DaemonSocket {
  readonly #socket: Socket
  readonly #hears: DaemonListener
  readonly #token: string
  #head = ""
  #reader: FrameReader | undefined
  #gone: SocketEnd = { code: abrupt, putOff: false }
  #ready = false

  constructor(url: URL, token: string, from: string, hears: DaemonListener) {
    this.#hears = hears
    this.#token = token
    const socket = dial(url, from)
    this.#socket = socket
    socket.on("error", () => socket.destroy())
    socket.on("close", () => {
      this.#ready = false
      hears.gone?.(this.#gone)
    })
    socket.on("data", (chunk) => this.#bytes(chunk))
    socket.write(upgradeRequest(url.host, path, token))
  }

  /** Whether the hub has let it in and it is still there. */
  get ready(): boolean {
    return this.#ready
  }

  /** Sends texts (ASCII), a frame each; false where they wait for the hub to read. */
  send(texts: ReadonlyArray<string>): boolean {
    return this.#socket.write(textFrames(texts))
  }

  /** Sends bytes as they are. */
  raw(bytes: Buffer, done: () => void): void {
    this.#socket.write(bytes, done)
  }

  /** Leaves with a goodbye. */
  leave(): void {
    this.#socket.end(closeFrame(left))
  }

  /** Leaves without one. */
  cut(): void {
    this.#socket.destroy()
  }

  #bytes(chunk: Buffer): void {
    const rest = this.#reader === undefined ? this.#answered(chunk) : chunk
    if (rest !== undefined) this.#reader?.push(rest, (code, payload) => this.#frame(code, payload))
  }

  #answered(chunk: Buffer): Buffer | undefined {
    this.#head += chunk.toString("latin1")
    const end = this.#head.indexOf(headEnd)
    if (end < 0) return undefined
    const status = Number(this.#head.slice(9, 12))
    if (status !== 101) {
      this.#gone = { code: status, putOff: status === 503 && /\r\nretry-after/iu.test(this.#head) }
      this.#socket.destroy()
      return undefined
    }
    const rest = Buffer.from(this.#head.slice(end + headEnd.length), "latin1")
    this.#head = ""
    this.#reader = new FrameReader()
    const said = { token: this.#token, protocol: 1, instanceId: `siege-${process.pid}`, version: "1.0.0" }
    const more = this.#hears.capabilities === undefined ? {} : { capabilities: this.#hears.capabilities }
    this.send([JSON.stringify({ type: "auth", data: { ...said, hostname: "siege", platform: "linux", ...more } })])
    return rest
  }

  #frame(code: number, payload: Buffer): void {
    if (code === opcode.ping) return void this.#socket.write(pongFrame(payload))
    if (code === opcode.close) {
      const said = payload.length >= 2 ? payload.readUInt16BE(0) : abrupt
      this.#gone = { code: said, putOff: said === crowded }
      return void this.#socket.end(closeFrame(left))
    }
    if (code !== opcode.text) return
    const { type, data } = JSON.parse(payload.toString("utf8")) as {
      readonly type: string
      readonly data: {
        readonly id: string
        readonly ids: ReadonlyArray<string>
        readonly payload?: Readonly<Record<string, unknown>>
      }
    }
    if (type === "command") this.#hears.command?.(data.id, this, data.payload ?? {})
    else if (type === "event_ack") this.#hears.acked?.(data.ids.length)
    else if (type === "auth_ok") {
      this.#ready = true
      this.#hears.ready?.(this)
    } else this.#hears.other?.(type, data, this)
  }
}

/** The result of a command as a frame's text, with `result` as JSON. */
export const resultText = (id: string, result: string): string =>
  `{"type":"command_result","data":{"id":"${id}","success":true,"result":${result}}}`
