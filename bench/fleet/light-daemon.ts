/**
 * One simulated daemon: a raw TCP socket that speaks the daemon protocol, no library object beside it. Owns one
 * connection and what the script says it does with commands; its fleet owns time and counts.
 */
import { connect, type Socket } from "node:net"
import { closeFrame, FrameReader, opcode, pongFrame, textFrames, upgradeRequest } from "./frames.ts"

/**
 * How a daemon behaves: `lost` breaks off in the middle of each command, `slow` seldom reads, `flapping` comes and
 * goes, each command of `exiting` exits with 1.
 */
export type Behaviour = "idle" | "chatty" | "flapping" | "slow" | "lost" | "exiting"

/** What a fleet does for its daemons. */
export interface FleetContext {
  readonly host: string
  readonly port: number
  readonly path: string
  /**
   * Whence to connect; undefined lets the system choose. The port is named too: the system takes milliseconds to find
   * one on a given address once half of its range is in use.
   */
  readonly from: () => { readonly localAddress: string; readonly localPort: number } | undefined
  readonly tally: Tally
  /** What its daemons name in their `auth`. Absent: nothing. */
  readonly capabilities?: ReadonlyArray<string>
  /** A command has come; its answer goes out next. */
  readonly commanded?: (daemon: LightDaemon) => void
  /** The daemon is authenticated. */
  readonly arrived: (daemon: LightDaemon) => void
  /**
   * The connection is over, with the code that was received (1006 when none was; 4401, 4403 and 4503 also where the
   * upgrade was answered with 401, 403 and 503) and whether it had been accepted.
   */
  readonly gone: (daemon: LightDaemon, code: number, wasOnline: boolean) => void
  /** The hub asks the daemon to come back after this long. Absent: it waits for the hub to close the connection. */
  readonly sentAway?: (daemon: LightDaemon, millis: number) => void
}

/** What a fleet counts. */
export interface Tally {
  commands: number
  events: number
  acks: number
  reports: number
  policies: number
  breaks: number
  readonly closes: Record<string, number>
}

const goneAbruptly = 1006
const leaving = 1000
const tokenUnknown = 4401
const tokenRevoked = 4403
/** The hub takes no more new connections for now. */
export const overloadedCode = 4503
const triesMax = 20
const commandStart = '{"type":"command","data":{"id":"'
const ackStart = '{"type":"event_ack"'
const policyStart = '{"type":"policy"'
const reconnectStart = '{"type":"reconnect"'
/** In the payload of a command that is to fail. */
const failing = '"fail":true'
const terminal = '"terminal_exec"'

const session = (name: string): string =>
  `{"id":"ses_${name}","providerType":"bench-cli","providerName":"Bench","kind":"agent","transport":"pty","status":"idle",` +
  `"title":"bench","workspace":"/srv/bench"}`

/** The `afterMs` of a close reason; 0 where it holds none. */
const askedMillis = (reason: string): number => Number(/"afterMs":\s*(\d+)/u.exec(reason)?.[1] ?? 0)

/** How long a 503 asks to stay away. */
const retryMillis = (answer: string): number =>
  Number(/\r\nretry-after-ms: *(\d+)/iu.exec(answer)?.[1] ?? 0) ||
  1_000 * Number(/\r\nretry-after: *(\d+)/iu.exec(answer)?.[1] ?? 0)

const nothing: Buffer = Buffer.alloc(0)
/** Longer than this no answer to an upgrade is. */
const headBytesMax = 16_384

/** One daemon. */
export class LightDaemon {
  readonly token: string
  readonly manner: Behaviour
  daemonId = ""
  online = false
  /** Which connection this is. */
  life = 0
  /** Connections in a row that came to nothing. */
  failures = 0
  /** How long the hub asked to be left alone, at least: from the reason of a 4503, or the `Retry-After` of a 503. */
  awayMillis = 0
  #context: FleetContext
  #socket: Socket | undefined
  #reader: FrameReader | undefined
  /** What has come of the answer to the upgrade. */
  #head = nothing
  #out: Array<string> = []
  #code = goneAbruptly
  #tries = 0
  #events = 0
  #onFrame: (code: number, payload: Buffer) => void

  constructor(context: FleetContext, token: string, manner: Behaviour) {
    this.#context = context
    this.token = token
    this.manner = manner
    this.#onFrame = (code, payload) => this.#frame(code, payload)
  }

  /** Connects, upgrades and authenticates; the fleet is told the result. */
  open(): void {
    const { host, port, path, from } = this.#context
    const socket = connect({ host, port, ...from() })
    this.#socket = socket
    this.#reader = undefined
    this.#head = nothing
    this.#code = goneAbruptly
    this.awayMillis = 0
    this.life++
    socket.setNoDelay(true)
    let taken = false
    socket.on("error", (error: NodeJS.ErrnoException) => {
      taken = error.code === "EADDRINUSE" || error.code === "EADDRNOTAVAIL"
      socket.destroy()
    })
    socket.on("close", () => {
      if (this.#socket !== socket) return
      if (taken && this.#tries++ < triesMax) return this.open()
      this.#socket = undefined
      const wasOnline = this.online
      this.online = false
      this.#context.gone(this, this.#code, wasOnline)
    })
    socket.on("data", (chunk) => this.#bytes(chunk))
    socket.write(upgradeRequest(`${host}:${port}`, path, this.token))
  }

  /** Leaves; `abruptly` without a goodbye, else with this code. */
  leave(abruptly = false, code = leaving): void {
    const socket = this.#socket
    if (socket === undefined) return
    if (abruptly) socket.destroy()
    else socket.end(closeFrame(code))
  }

  /** Reports its one session. */
  report(): void {
    this.#context.tally.reports++
    this.#write([
      `{"type":"status_report","data":{"timestamp":${Date.now()},"sessions":[${session(this.token.slice(-8))}]}}`
    ])
  }

  /** Sends an event that wants an acknowledgement. */
  event(): void {
    this.#context.tally.events++
    this.#write([
      `{"type":"status_event","data":{"id":"e${this.#events++}-${this.token.slice(-6)}","event":"agent:generating_started",` +
        `"timestamp":${Date.now()},"targetSessionId":"ses_${this.token.slice(-8)}","providerType":"bench-cli"}}`
    ])
  }

  /** Stops reading, or reads on. */
  read(on: boolean): void {
    if (on) this.#socket?.resume()
    else this.#socket?.pause()
  }

  #write(texts: ReadonlyArray<string>): void {
    this.#socket?.write(textFrames(texts))
  }

  #bytes(chunk: Buffer): void {
    let bytes = chunk
    if (this.#reader === undefined) {
      const rest = this.#answered(chunk)
      if (rest === undefined) return
      bytes = rest
    }
    this.#reader?.push(bytes, this.#onFrame)
    if (this.#out.length > 0) {
      this.#write(this.#out)
      this.#out = []
    }
  }

  /**
   * The answer to the upgrade, which may come in pieces; gives what stands behind it once it is whole and lets this
   * daemon in.
   */
  #answered(chunk: Buffer): Buffer | undefined {
    const answer = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk])
    const end = answer.indexOf("\r\n\r\n")
    if (end < 0) {
      this.#head = answer
      if (answer.length > headBytesMax) this.#socket?.destroy()
      return undefined
    }
    this.#head = nothing
    const status = answer.toString("latin1", 9, 12)
    if (status === "503") {
      this.#code = overloadedCode
      this.awayMillis = retryMillis(answer.toString("latin1"))
    }
    if (status === "401") this.#code = tokenUnknown
    if (status === "403") this.#code = tokenRevoked
    if (status !== "101") {
      this.#socket?.destroy()
      return undefined
    }
    this.#reader = new FrameReader()
    const { capabilities } = this.#context
    const named = capabilities === undefined ? "" : `,"capabilities":${JSON.stringify(capabilities)}`
    this.#write([
      `{"type":"auth","data":{"protocol":1,"instanceId":"bench-${process.pid}","version":"1.0.0",` +
        `"hostname":"bench-${this.token.slice(-8)}","platform":"linux"${named}}}`
    ])
    return answer.subarray(end + 4)
  }

  #frame(code: number, payload: Buffer): void {
    if (code === opcode.ping) return void this.#socket?.write(pongFrame(payload))
    if (code === opcode.close) {
      if (payload.length >= 2) this.#code = payload.readUInt16BE(0)
      if (this.#code === overloadedCode) this.awayMillis = askedMillis(payload.toString("utf8", 2))
      return void this.#socket?.end(closeFrame(leaving))
    }
    const text = payload.toString("latin1", 0, payload.length)
    if (text.startsWith(commandStart))
      this.#command(text.slice(commandStart.length, text.indexOf('"', commandStart.length)), text)
    else if (text.startsWith(ackStart))
      this.#context.tally.acks += (JSON.parse(text) as { data: { ids: [] } }).data.ids.length
    else if (text.startsWith(policyStart)) this.#context.tally.policies++
    else if (text.startsWith(reconnectStart))
      this.#context.sentAway?.(this, (JSON.parse(text) as { data: { afterMs: number } }).data.afterMs)
    else if (!this.online && text.startsWith('{"type":"auth_ok"')) {
      this.daemonId = (JSON.parse(text) as { data: { daemonId: string } }).data.daemonId
      this.online = true
      this.#tries = 0
      this.failures = 0
      this.#context.arrived(this)
    }
  }

  #command(id: string, text: string): void {
    this.#context.tally.commands++
    this.#context.commanded?.(this)
    if (this.manner === "lost") {
      this.#context.tally.breaks++
      return this.leave(true)
    }
    const success = !text.includes(failing)
    const exits = this.manner === "exiting" && text.includes(terminal)
    const result = exits ? '{"exitCode":1}' : '{"echo":true}'
    const answer = success ? `"result":${result}` : '"error":"as it was told"'
    this.#out.push(`{"type":"command_result","data":{"id":"${id}","success":${success},${answer}}}`)
  }
}
