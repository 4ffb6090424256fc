/**
 * A daemon that keeps its commands over as many connections as it takes: it names what it has, and sends each result
 * until it is acknowledged. Owns what it was sent; answers them only when it is told to, and other commands at once.
 */
import { WebSocket } from "ws"
import { wait } from "./hub-process.ts"

/** The daemon. */
export interface DurableDaemon {
  /** Where it is accepted now. */
  readonly at: () => string | undefined
  /** How often each command came. */
  readonly sent: ReadonlyMap<string, number>
  /** What each command that came is about. */
  readonly payloads: ReadonlyMap<string, unknown>
  /** Commands whose result is not acknowledged. */
  readonly unacknowledged: () => number
  /** Ends every command from now on, those that it has included. */
  readonly finish: () => void
  readonly stop: () => void
}

const backoffMillis = 100
const capabilities = ["durable_commands", "command_cancel"]

/** Starts one with its token; `where` says for each connection which hub to go to. */
export const startDurableDaemon = (where: () => string, token: string): DurableDaemon => {
  const sent = new Map<string, number>()
  const payloads = new Map<string, unknown>()
  const has = new Set<string>()
  let finished = false
  let stopped = false
  let socket: WebSocket | undefined
  let at: string | undefined

  const answer = (id: string): void =>
    socket?.send(JSON.stringify({ type: "command_result", data: { id, success: true, result: { id } } }))

  // biome-ignore lint/suspicious/noExplicitAny: frames of every shape
  const receive = (own: WebSocket, url: string, { type, data }: { type: string; data: any }): void => {
    if (type === "auth_ok") {
      at = url
      if (finished) for (const id of has) answer(id)
    } else if (type === "command") {
      sent.set(data.id, (sent.get(data.id) ?? 0) + 1)
      payloads.set(data.id, data.payload)
      if (data.durable === true) has.add(data.id)
      if (finished || data.durable !== true) answer(data.id)
    } else if (type === "result_ack") {
      for (const id of data.ids) has.delete(id)
    } else if (type === "reconnect") {
      void wait(data.afterMs).then(() => own.close(1_012))
    }
  }

  const connect = (): void => {
    if (stopped) return
    const url = where()
    const own = new WebSocket(`${url.replace(/^http/u, "ws")}/api/v1/daemons/connect`)
    socket = own
    const auth = { token, protocol: 1, instanceId: "i", version: "1", hostname: "daemon", platform: "linux" }
    own.on("open", () =>
      own.send(JSON.stringify({ type: "auth", data: { ...auth, capabilities, commands: [...has] } }))
    )
    own.on("message", (bytes) => receive(own, url, JSON.parse(bytes.toString())))
    own.on("error", () => undefined)
    own.on("close", () => {
      at = undefined
      void wait(backoffMillis).then(connect)
    })
  }
  connect()
  return {
    at: () => at,
    sent,
    payloads,
    unacknowledged: () => has.size,
    finish: () => {
      finished = true
      if (at !== undefined) for (const id of has) answer(id)
    },
    stop: () => {
      stopped = true
      socket?.terminate()
    }
  }
}
