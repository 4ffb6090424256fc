/**
 * A daemon that answers commands and sends its events again until they are acknowledged, over as many connections as it
 * takes. Owns what is not acknowledged yet; knows no hub but the addresses it is given.
 */
import { WebSocket } from "ws"
import { wait } from "./hub-process.ts"
import type { PeerFrame } from "./scripted-daemon.ts"

/** One event on its way. */
export interface Sending {
  readonly id: string
  readonly session: string
}

/** The daemon. */
export interface Resender {
  readonly send: (sending: Sending) => void
  /** Events not acknowledged yet. */
  readonly waiting: () => number
  /** Events acknowledged so far; events that went out again. */
  readonly acknowledged: () => number
  readonly resent: () => number
  /** Where it is accepted now. */
  readonly at: () => string | undefined
  /** The codes its accepted connections were closed with. */
  readonly closes: () => ReadonlyArray<number>
  /** The ids of the commands that came, each as often as it came. */
  readonly commands: () => ReadonlyArray<string>
  /** Breaks off, and comes back. */
  readonly cut: () => void
  /** Says goodbye (1000) and stays away. */
  readonly leave: () => void
  /** Breaks off and stays away. */
  readonly stop: () => void
}

const backoffMillis = 100
/** The hub wants nobody back who was replaced by a newer connection. */
const replaced = 4409

/** Starts one with its token; `where` says for each connection which hub to go to. */
export const startResender = (where: string | (() => string), token: string): Resender => {
  const waiting = new Map<string, Sending>()
  const everSent = new Set<string>()
  const closes: Array<number> = []
  const commands: Array<string> = []
  let acknowledged = 0
  let resent = 0
  let stopped = false
  let socket: WebSocket | undefined
  let at: string | undefined

  const write = ({ id, session }: Sending): void => {
    if (at === undefined || socket?.readyState !== WebSocket.OPEN) return
    if (everSent.has(id)) resent++
    everSent.add(id)
    const event = { id, event: "agent:stopped", timestamp: Date.now(), targetSessionId: session }
    socket.send(JSON.stringify({ type: "status_event", data: event }))
  }

  const receive = (own: WebSocket, url: string, { type, data }: PeerFrame): void => {
    if (type === "auth_ok") {
      at = url
      own.send(JSON.stringify({ type: "status_report", data: { timestamp: Date.now(), sessions: [] } }))
      for (const one of waiting.values()) write(one)
    } else if (type === "event_ack") {
      for (const id of data.ids) if (waiting.delete(id)) acknowledged++
    } else if (type === "command") {
      commands.push(data.id)
      own.send(JSON.stringify({ type: "command_result", data: { id: data.id, success: true, result: { at: url } } }))
    } else if (type === "reconnect") {
      void wait(data.afterMs).then(() => own.close(1_012))
    }
  }

  const connect = (): void => {
    if (stopped) return
    const url = typeof where === "string" ? where : where()
    const own = new WebSocket(`${url.replace(/^http/u, "ws")}/api/v1/daemons/connect`)
    socket = own
    const auth = { token, protocol: 1, instanceId: "i", version: "1", hostname: "daemon", platform: "linux" }
    own.on("open", () => own.send(JSON.stringify({ type: "auth", data: auth })))
    own.on("message", (bytes) => receive(own, url, JSON.parse(bytes.toString())))
    own.on("error", () => undefined)
    own.on("close", (code) => {
      if (at !== undefined) closes.push(code)
      at = undefined
      if (code === replaced) stopped = true
      void wait(backoffMillis).then(connect)
    })
  }
  connect()
  return {
    send: (sending) => {
      waiting.set(sending.id, sending)
      write(sending)
    },
    waiting: () => waiting.size,
    acknowledged: () => acknowledged,
    resent: () => resent,
    at: () => at,
    closes: () => closes,
    commands: () => commands,
    cut: () => void socket?.terminate(),
    leave: () => {
      stopped = true
      socket?.close(1_000)
    },
    stop: () => {
      stopped = true
      socket?.terminate()
    }
  }
}
