/**
 * A simulated daemon whose sessions have logs: it says a word of an agent when it is told to, each in a frame of its
 * own. Owns one connection; keeps nothing of what it said.
 */
import { connect, type Socket } from "node:net"
import { closeFrame, FrameReader, opcode, pongFrame, textFrames, upgradeRequest } from "./frames.ts"

const leaving = 1000
const delta = "word ".repeat(8)

interface Asked {
  readonly type: string
  readonly data: {
    readonly id: string
    readonly daemonId: string
    readonly log?: { readonly id: string }
    readonly payload?: { readonly log?: { readonly id: string } }
  }
}

/** One daemon. */
export class TalkingDaemon {
  readonly token: string
  daemonId = ""
  /** Ids of its sessions. */
  readonly sessions: ReadonlyArray<string>
  private readonly numbers = new Map<string, number>()
  private socket: Socket | undefined
  /** What has come of the answer to the upgrade. */
  private head: Buffer = Buffer.alloc(0)
  private reader: FrameReader | undefined
  private ready: ((failure?: Error) => void) | undefined

  constructor(token: string, sessions: number) {
    this.token = token
    this.sessions = Array.from({ length: sessions }, (_, at) => `ses_${token.slice(-8)}_${at}`)
  }

  /** Connects, authenticates and reports its sessions. */
  open(url: string): Promise<void> {
    const { hostname, port, host } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port) })
    this.socket = socket
    socket.setNoDelay(true)
    socket.on("data", (chunk) => this.bytes(chunk))
    socket.write(upgradeRequest(host, "/api/v1/daemons/connect", this.token))
    return new Promise((resolve, reject) => {
      this.ready = (failure) => (failure === undefined ? resolve() : reject(failure))
      socket.on("error", reject)
      socket.on("close", () => reject(new Error("a daemon was sent away")))
    })
  }

  /** A session says a word; `at` is when, in microseconds. */
  say(session: string, at: number): void {
    const seq = (this.numbers.get(session) ?? 0) + 1
    this.numbers.set(session, seq)
    this.write(
      `{"type":"log_events","data":{"log":{"kind":"session","id":"${session}"},"logId":"bench","lastSeq":${seq},"events":[` +
        `{"seq":${seq},"type":"message_delta","timestamp":1790000000000,"messageId":"m1","role":"agent","delta":"${delta}","at":${at}}]}}`
    )
  }

  /** Leaves. */
  close(): void {
    this.socket?.end(closeFrame(leaving))
  }

  private write(text: string): void {
    this.socket?.write(textFrames([text]))
  }

  private bytes(chunk: Buffer): void {
    if (this.reader !== undefined) return this.reader.push(chunk, (code, payload) => this.frame(code, payload))
    this.head = Buffer.concat([this.head, chunk])
    const end = this.head.indexOf("\r\n\r\n")
    if (end < 0) return
    const status = this.head.toString("latin1", 9, 12)
    if (status !== "101") return this.ready?.(new Error(`the upgrade of a daemon was refused with ${status}`))
    this.reader = new FrameReader()
    this.write(
      `{"type":"auth","data":{"protocol":1,"instanceId":"bench","version":"1.0.0","hostname":"bench","platform":"linux",` +
        `"capabilities":["session_log"]}}`
    )
    this.reader.push(this.head.subarray(end + 4), (code, payload) => this.frame(code, payload))
  }

  private frame(code: number, payload: Buffer): void {
    if (code === opcode.ping) return void this.socket?.write(pongFrame(payload))
    if (code !== opcode.text) return
    const { type, data } = JSON.parse(payload.toString("latin1")) as Asked
    if (type === "auth_ok") {
      this.daemonId = data.daemonId
      const sessions = this.sessions.map(
        (id) => `{"id":"${id}","providerType":"bench","kind":"agent","transport":"acp","status":"idle"}`
      )
      this.write(`{"type":"status_report","data":{"timestamp":1,"sessions":[${sessions.join(",")}]}}`)
      this.ready?.()
    } else if (type === "log_subscribe") {
      const id = data.log!.id
      const seq = this.numbers.get(id) ?? 0
      const log = `{"kind":"session","id":"${id}"}`
      this.write(`{"type":"log_events","data":{"log":${log},"logId":"bench","lastSeq":${seq},"events":[]}}`)
    } else if (type === "command") {
      const seq = this.numbers.get(data.payload?.log?.id ?? "") ?? 0
      const result = `{"logId":"bench","firstSeq":${seq + 1},"lastSeq":${seq},"events":[],"more":false}`
      this.write(`{"type":"command_result","data":{"id":"${data.id}","success":true,"result":${result}}}`)
    }
  }
}
