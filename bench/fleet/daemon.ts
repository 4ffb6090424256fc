/**
 * Simulated daemons that speak the real protocol, few and simple: authenticate, report once, then do as the scenario
 * says. Owns the sockets; keeps no figures. (The large fleet lives in light-fleet.ts.)
 */
import { WebSocket } from "ws"

/** One authenticated simulated daemon. */
export interface SimulatedDaemon {
  readonly daemonId: string
  /** Sends a status event; resolves when the hub acknowledged its commit. */
  readonly event: (fields: Record<string, unknown>) => Promise<void>
  readonly send: (type: string, fields: Record<string, unknown>) => void
  readonly close: () => void
}

interface Frame {
  readonly type: string
  readonly data: { readonly ids?: ReadonlyArray<string>; readonly id?: string; readonly daemonId?: string }
}

/** Connects a daemon and waits for its `auth_ok`. It answers commands at once with `{echo: true}`. */
export const connectDaemon = (url: string, token: string): Promise<SimulatedDaemon> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/v1/daemons/connect`, {
      perMessageDeflate: false,
      headers: { authorization: `Bearer ${token}` }
    })
    const waiting = new Map<string, () => void>()
    let events = 0
    const send = (type: string, data: Record<string, unknown>): void => socket.send(JSON.stringify({ type, data }))
    socket.on("error", reject)
    socket.on("close", (code) => reject(new Error(`a simulated daemon was closed with ${code}`)))
    socket.on("open", () =>
      send("auth", {
        protocol: 1,
        instanceId: `bench-${token.slice(-6)}`,
        version: "bench",
        hostname: "bench",
        platform: "linux"
      })
    )
    socket.on("message", (bytes: Buffer) => {
      const frame = JSON.parse(bytes.toString("utf8")) as Frame
      if (frame.type === "event_ack") {
        for (const id of frame.data.ids ?? []) {
          waiting.get(id)?.()
          waiting.delete(id)
        }
      } else if (frame.type === "command")
        send("command_result", { id: frame.data.id, success: true, result: { echo: true } })
      else if (frame.type === "auth_ok") {
        send("status_report", { timestamp: Date.now(), sessions: [] })
        resolve({
          daemonId: frame.data.daemonId ?? "",
          send,
          close: () => socket.close(1000),
          event: (fields) =>
            new Promise((done) => {
              const id = `e${events++}`
              waiting.set(id, done)
              send("status_event", { id, timestamp: Date.now(), ...fields })
            })
        })
      }
    })
  })
