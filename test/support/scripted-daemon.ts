/**
 * A scripted daemon: speaks the socket protocol by hand, so that a test decides each frame. Owns the socket and what
 * was received; answers nothing by itself but pings.
 */
import { once } from "node:events"
import { WebSocket } from "ws"
import type { TestHub } from "./hub.ts"
import { until } from "./until.ts"

/** A frame from the hub. */
export interface PeerFrame {
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into frames of every shape
  readonly data: any
}

/** A command that came, with its answer. */
export interface PeerCommand {
  readonly id: string
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly payload: any
  readonly targetSessionId?: string
  readonly deadlineMs: number
  readonly succeed: (result?: unknown) => void
  readonly refuse: (error: string, code?: string) => void
}

/** What a daemon says of itself. */
export interface PeerOptions {
  /** Overrides of the `auth` frame; null sends none. */
  readonly auth?: Readonly<Record<string, unknown>> | null
  /** The `status_report` sent right after `auth_ok`: its sessions, or the whole of its data. None when absent. */
  readonly report?: ReadonlyArray<unknown> | Readonly<Record<string, unknown>>
  /** Headers of the upgrade. */
  readonly headers?: Readonly<Record<string, string>>
  /** Subprotocols to offer. */
  readonly protocols?: ReadonlyArray<string>
}

/** A connected daemon. */
export interface Peer {
  readonly socket: WebSocket
  /** Everything the hub sent, in order. */
  readonly frames: ReadonlyArray<PeerFrame>
  readonly send: (type: string, data: unknown) => void
  readonly report: (report: NonNullable<PeerOptions["report"]>) => void
  /** The next frame nobody took yet; of a type, if one is named. */
  readonly nextFrame: (type?: string) => Promise<PeerFrame>
  /** The next command nobody took yet. */
  readonly nextCommand: () => Promise<PeerCommand>
  /** Answers every command from now on, in the order they come. */
  readonly answerWith: (result: (command: Omit<PeerCommand, "succeed" | "refuse">) => unknown) => void
  /** Ends once the socket is closed, with its code and reason. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  /** Says goodbye (1000). */
  readonly leave: () => Promise<void>
  /** Cuts the connection without a goodbye. */
  readonly cut: () => Promise<void>
}

const reportOf = (report: NonNullable<PeerOptions["report"]>): unknown =>
  Array.isArray(report) ? { timestamp: Date.now(), sessions: report } : report

/** Opens a socket and sends `auth`; neither waits for the hub's answer nor reports. */
export const openDaemon = async (
  hub: Pick<TestHub, "url">,
  token: string,
  options: PeerOptions = {}
): Promise<Peer> => {
  const url = `${hub.url.replace(/^http/u, "ws")}/api/v1/daemons/connect`
  const socket = new WebSocket(url, [...(options.protocols ?? [])], {
    headers: { ...options.headers },
    maxPayload: 16_777_216
  })
  const frames: Array<PeerFrame> = []
  const untaken: Array<PeerFrame> = []
  let answering: ((frame: PeerFrame) => void) | undefined
  socket.on("message", (bytes) => {
    const frame = JSON.parse(bytes.toString()) as PeerFrame
    frames.push(frame)
    if (answering !== undefined && frame.type === "command") answering(frame)
    else untaken.push(frame)
  })
  socket.on("error", () => {})
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  const opened = await Promise.race([
    once(socket, "open").then(() => undefined),
    once(socket, "unexpected-response").then(([, response]) => response.statusCode as number),
    closed.then(({ code }) => code)
  ])
  if (opened !== undefined) throw new Error(`the socket was refused: ${opened}`)

  const send: Peer["send"] = (type, data) => socket.send(JSON.stringify({ type, data }))
  const nextFrame: Peer["nextFrame"] = (type) =>
    until(`a ${type ?? "further"} frame`, () => {
      const at = type === undefined ? 0 : untaken.findIndex((frame) => frame.type === type)
      return at < 0 ? undefined : untaken.splice(at, 1)[0]
    })
  const commandOf = ({ data }: PeerFrame): PeerCommand => ({
    ...data,
    succeed: (result) =>
      send("command_result", { id: data.id, success: true, ...(result !== undefined && { result }) }),
    refuse: (error, code) =>
      send("command_result", { id: data.id, success: false, error, ...(code !== undefined && { code }) })
  })
  if (options.auth !== null) {
    const told = { protocol: 1, instanceId: "run-1", version: "1.2.3", hostname: "daemon", platform: "linux" }
    send("auth", { token, ...told, ...options.auth })
  }
  const report: Peer["report"] = (given) => send("status_report", reportOf(given))
  return {
    socket,
    frames,
    send,
    report,
    nextFrame,
    nextCommand: async () => commandOf(await nextFrame("command")),
    answerWith: (result) => {
      answering = (frame) => {
        const command = commandOf(frame)
        command.succeed(result(command))
      }
      for (let at = untaken.length - 1; at >= 0; at--) {
        if (untaken[at]!.type === "command") answering(untaken.splice(at, 1)[0]!)
      }
    },
    closed,
    leave: async () => {
      socket.close(1000)
      await closed
    },
    cut: async () => {
      socket.terminate()
      await closed
    }
  }
}

/** A daemon that the hub has accepted. Its token comes with the upgrade. */
export const connectDaemon = async (
  hub: Pick<TestHub, "url">,
  token: string,
  options: PeerOptions = {}
): Promise<Peer & { readonly accepted: PeerFrame }> => {
  const headers = { authorization: `Bearer ${token}`, ...options.headers }
  const peer = await openDaemon(hub, token, { ...options, headers, auth: { token: undefined, ...options.auth } })
  const accepted = await Promise.race([
    peer.nextFrame("auth_ok"),
    peer.closed.then(({ code, reason }) => {
      throw new Error(`the hub refused the daemon: ${code} ${reason}`)
    })
  ])
  if (options.report !== undefined) peer.report(options.report)
  return { ...peer, accepted }
}
