/**
 * A daemon that sends its events again until they are acknowledged, over as many connections as it takes. Owns what is not
 * acknowledged yet; knows no hub but its address.
 */
import { WebSocket } from "ws"
import { wait } from "./hubprocess.ts"

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
  readonly stop: () => void
}

const backoffMillis = 100

/** Starts one with its token. */
export const startResender = (url: string, token: string): Resender => {
  const waiting = new Map<string, Sending>()
  const everSent = new Set<string>()
  let acknowledged = 0
  let resent = 0
  let stopped = false
  let socket: WebSocket | undefined
  let accepted = false

  const write = ({ id, session }: Sending): void => {
    if (!accepted || socket?.readyState !== WebSocket.OPEN) return
    if (everSent.has(id)) resent++
    everSent.add(id)
    const event = { id, event: "agent:stopped", timestamp: Date.now(), targetSessionId: session }
    socket.send(JSON.stringify({ type: "status_event", data: event }))
  }

  const connect = (): void => {
    if (stopped) return
    const own = new WebSocket(`${url.replace(/^http/u, "ws")}/api/v1/daemons/connect`)
    socket = own
    accepted = false
    const auth = { token, protocol: 1, instanceId: "i", version: "1", hostname: "machine", platform: "linux" }
    own.on("open", () => own.send(JSON.stringify({ type: "auth", data: auth })))
    own.on("message", (bytes) => {
      const { type, data } = JSON.parse(bytes.toString())
      if (type === "auth_ok") {
        accepted = true
        for (const one of waiting.values()) write(one)
      } else if (type === "event_ack") {
        for (const id of data.ids) if (waiting.delete(id)) acknowledged++
      }
    })
    own.on("error", () => undefined)
    own.on("close", () => void wait(backoffMillis).then(connect))
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
    stop: () => {
      stopped = true
      socket?.terminate()
    }
  }
}
