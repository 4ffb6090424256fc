/**
 * The daemon that `hub trigger` connects: a real one to the hub, with one agent that does what it is told here. Owns
 * its socket; runs nothing on this machine.
 */
import { WebSocket } from "ws"
import { Refusal } from "./refusal.ts"

const waitMillisMax = 20_000
/** The id of its only session. */
export const sessionId = "demo"

interface Frame {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A connected one. */
export interface DemoDaemon {
  readonly daemonId: string
  /** Says in which state its agent is. */
  readonly report: (status: "idle" | "generating") => void
  /** Sends an event of its agent, and waits until the hub has committed it. */
  readonly event: (event: string, more: Readonly<Record<string, unknown>>) => Promise<void>
  /** Answers the next command with an empty success. */
  readonly answerCommand: () => Promise<void>
  readonly leave: () => Promise<void>
}

const socketOf = (url: string): string => `${url.replace(/^http/u, "ws").replace(/\/+$/u, "")}/api/v1/daemons/connect`

/** Frames as they come, each taken once. */
class Inbox {
  private readonly frames: Array<Frame> = []
  private waiting: (() => void) | undefined
  private ended: string | undefined

  put(frame: Frame): void {
    this.frames.push(frame)
    this.waiting?.()
  }

  end(why: string): void {
    this.ended = why
    this.waiting?.()
  }

  /** The next frame that fits. Throws when the socket ends or nothing comes in time. */
  async take(fits: (frame: Frame) => boolean): Promise<Frame> {
    const deadline = performance.now() + waitMillisMax
    for (;;) {
      const at = this.frames.findIndex(fits)
      if (at >= 0) return this.frames.splice(at, 1)[0]!
      if (this.ended !== undefined) throw new Refusal(`the hub closed the demonstration's daemon: ${this.ended}`)
      const left = deadline - performance.now()
      if (left <= 0) throw new Refusal("the hub did not answer the demonstration's daemon in time")
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.waiting = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
}

const session = (status: string) => ({
  id: sessionId,
  providerType: "demo-agent",
  kind: "agent",
  transport: "acp",
  status,
  workspace: { name: "demo", path: "/demo" }
})

/** Connects it. Refuses with the hub's own word where the token is unknown or revoked. */
export const connectDemoDaemon = async (url: string, token: string): Promise<DemoDaemon> => {
  const socket = new WebSocket(socketOf(url), { handshakeTimeout: waitMillisMax })
  const inbox = new Inbox()
  const send = (type: string, data: unknown) => socket.send(JSON.stringify({ type, data }))
  socket.on("message", (bytes) => inbox.put(JSON.parse(bytes.toString()) as Frame))
  socket.on("close", (code, reason) => inbox.end(`${code} ${reason.toString()}`.trim()))
  socket.on("error", (error) => inbox.end(error.message))
  socket.on("open", () =>
    send("auth", {
      token,
      protocol: 1,
      instanceId: crypto.randomUUID(),
      version: "1.0.0",
      hostname: "hub-trigger",
      platform: process.platform,
      nickname: "hub trigger",
      capabilities: ["durable_commands"]
    })
  )
  const { type, data } = await inbox.take((frame) => frame.type === "auth_ok" || frame.type === "auth_error")
  if (type === "auth_error") throw new Refusal(`the hub refused the daemon's token: ${String(data["reason"])}`)
  const report: DemoDaemon["report"] = (status) =>
    send("status_report", { timestamp: Date.now(), sessions: [session(status)] })
  return {
    daemonId: String(data["daemonId"]),
    report,
    event: async (event, more) => {
      const id = crypto.randomUUID()
      send("status_event", { id, event, timestamp: Date.now(), targetSessionId: sessionId, ...more })
      const isAck = (frame: Frame) =>
        frame.type === "event_ack" && (frame.data["ids"] as ReadonlyArray<string>).includes(id)
      await inbox.take(isAck)
    },
    answerCommand: async () => {
      const command = await inbox.take((frame) => frame.type === "command")
      const result = { exitCode: 0, stdout: "", stderr: "", durationMs: 1, truncated: false }
      send("command_result", { id: command.data["id"], success: true, result })
    },
    leave: async () => {
      if (socket.readyState === WebSocket.CLOSED) return
      const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
      socket.close(1000)
      await closed
    }
  }
}
