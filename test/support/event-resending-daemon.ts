/**
 * A daemon that answers commands and sends its events again until they are acknowledged, over as many connections as it
 * takes. Owns what is not acknowledged yet; knows no hub but the addresses it is given.
 */
import { WebSocket } from "ws"
import { wait } from "./hub-process.ts"
import type { PeerFrame } from "./scripted-daemon.ts"

const backoffMillis = 100
/** The hub wants nobody back who was replaced by a newer connection. */
const replaced = 4409

/** A connection that is made again whenever it ends. */
export interface LastingConnection {
  /** Where it is accepted now. */
  readonly at: () => string | undefined
  readonly send: (type: string, data: object) => void
  /** Ends the one there is now, with this code or without a word. */
  readonly close: (code?: number) => void
  /** Makes no other from now on. */
  readonly stop: () => void
}

/** Connects with a daemon's token; `where` says for each connection which hub to go to, `auth` what is said there. */
export const keepConnected = (
  where: string | (() => string),
  auth: () => object,
  receive: (frame: PeerFrame, url: string) => void,
  closed: (code: number, wasAccepted: boolean) => void = () => undefined
): LastingConnection => {
  let stopped = false
  let socket: WebSocket | undefined
  let at: string | undefined
  const standard = { protocol: 1, instanceId: "i", version: "1", hostname: "daemon", platform: "linux" }
  const connect = (): void => {
    if (stopped) return
    const url = typeof where === "string" ? where : where()
    const own = new WebSocket(`${url.replace(/^http/u, "ws")}/api/v1/daemons/connect`)
    socket = own
    own.on("open", () => own.send(JSON.stringify({ type: "auth", data: { ...standard, ...auth() } })))
    own.on("message", (bytes) => {
      const frame = JSON.parse(bytes.toString()) as PeerFrame
      if (frame.type === "auth_ok") at = url
      if (frame.type === "reconnect") void wait(frame.data.afterMs).then(() => own.close(1_012))
      receive(frame, url)
    })
    own.on("error", () => undefined)
    own.on("close", (code) => {
      closed(code, at !== undefined)
      at = undefined
      if (code === replaced) stopped = true
      void wait(backoffMillis).then(connect)
    })
  }
  connect()
  return {
    at: () => at,
    send: (type, data) => {
      if (at !== undefined && socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type, data }))
    },
    close: (code) => void (code === undefined ? socket?.terminate() : socket?.close(code)),
    stop: () => {
      stopped = true
    }
  }
}

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
  /** Events acknowledged so far. */
  readonly acknowledged: () => number
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

/** Starts one with its token; `where` says for each connection which hub to go to. */
export const startResender = (where: string | (() => string), token: string): Resender => {
  const waiting = new Map<string, Sending>()
  const closes: Array<number> = []
  const commands: Array<string> = []
  let acknowledged = 0

  const write = ({ id, session }: Sending): void => {
    const event = { id, event: "agent:stopped", timestamp: Date.now(), targetSessionId: session }
    connection.send("status_event", event)
  }
  const receive = ({ type, data }: PeerFrame, url: string): void => {
    if (type === "auth_ok") {
      connection.send("status_report", { timestamp: Date.now(), sessions: [] })
      for (const one of waiting.values()) write(one)
    } else if (type === "event_ack") {
      for (const id of data.ids) if (waiting.delete(id)) acknowledged++
    } else if (type === "command") {
      commands.push(data.id)
      connection.send("command_result", { id: data.id, success: true, result: { at: url } })
    }
  }
  const connection = keepConnected(
    where,
    () => ({ token }),
    receive,
    (code, wasAccepted) => void (wasAccepted && closes.push(code))
  )
  return {
    send: (sending) => {
      waiting.set(sending.id, sending)
      write(sending)
    },
    waiting: () => waiting.size,
    acknowledged: () => acknowledged,
    at: connection.at,
    closes: () => closes,
    commands: () => commands,
    cut: () => connection.close(),
    leave: () => {
      connection.stop()
      connection.close(1_000)
    },
    stop: () => {
      connection.stop()
      connection.close()
    }
  }
}
