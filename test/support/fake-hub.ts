/**
 * A hub of a few lines, for tests of the daemon alone. Owns a socket server that admits whoever comes; decides nothing
 * else.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type WebSocket, WebSocketServer } from "ws"
import { until } from "./until.ts"

/** A frame as it was received. */
export interface SeenFrame {
  readonly type: string
  readonly data: Record<string, unknown>
}

/** One connection of a daemon. */
export interface SeenConnection {
  readonly socket: WebSocket
  /** Its `Authorization` header. */
  readonly authorization: string | undefined
  readonly frames: ReadonlyArray<SeenFrame>
  readonly send: (type: string, data: unknown) => void
  readonly ask: (command: Record<string, unknown>) => Promise<Record<string, unknown>>
  /** The first frame of a type that satisfies the test. */
  readonly saw: (type: string, fits?: (data: Record<string, unknown>) => boolean) => Promise<Record<string, unknown>>
}

/** What a hub says on `auth_ok`. */
export const admission = {
  daemonId: "dmn_1",
  connectionEpoch: 1,
  plan: "pro",
  iceServers: [],
  turn: false,
  serverTime: 0,
  heartbeatMs: 25_000,
  reportMs: 30_000,
  limits: { frameBytes: 1_048_576, resultBytes: 8_388_608, framesPer10s: 100 }
}

/** A running fake. */
export interface FakeHub {
  readonly url: string
  readonly connections: ReadonlyArray<SeenConnection>
  /** The nth connection, counted from 1, once it is admitted. */
  readonly connection: (number: number) => Promise<SeenConnection>
  /** Answers the next upgrade with this instead of a socket. */
  readonly refuseNext: (status: number, reason: string, headers?: Readonly<Record<string, string>>) => void
  readonly close: () => Promise<void>
}

let commands = 0

const connectionOf = (
  socket: WebSocket,
  authorization: string | undefined,
  admit: ((frame: SeenFrame) => unknown) | undefined
): SeenConnection => {
  const frames: Array<SeenFrame> = []
  const send = (type: string, data: unknown): void => socket.send(JSON.stringify({ type, data }))
  const saw: SeenConnection["saw"] = (type, fits = () => true) =>
    until(`a ${type} frame`, () => frames.find((frame) => frame.type === type && fits(frame.data))?.data)
  socket.on("message", (bytes) => {
    const frame = JSON.parse(bytes.toString()) as SeenFrame
    frames.push(frame)
    if (frame.type === "auth" && admit !== undefined) send("auth_ok", admit(frame))
  })
  return {
    socket,
    authorization,
    frames,
    send,
    saw,
    ask: async (command) => {
      const id = `cmd_${++commands}`
      send("command", { id, payload: {}, deadlineMs: 60_000, ...command })
      return await saw("command_result", (data) => data["id"] === id)
    }
  }
}

/** Starts one. `admit` gives the data of `auth_ok`; null leaves daemons unanswered. */
export const startFakeHub = async (
  admit: ((frame: SeenFrame) => unknown) | null = () => admission
): Promise<FakeHub> => {
  const refusals: Array<readonly [number, string, Readonly<Record<string, string>>]> = []
  const http = createServer()
  const server = new WebSocketServer({ noServer: true })
  http.on("upgrade", (request, socket, head) => {
    const refusal = refusals.shift()
    if (refusal === undefined)
      return server.handleUpgrade(request, socket, head, (one) => server.emit("connection", one, request))
    const [status, reason, headers] = refusal
    const body = JSON.stringify({ error: "No.", reason })
    const lines = Object.entries({ ...headers, "content-length": body.length }).map((line) => `${line.join(": ")}\r\n`)
    socket.end(`HTTP/1.1 ${status} No\r\n${lines.join("")}\r\n${body}`)
  })
  http.listen(0, "127.0.0.1")
  await once(http, "listening")
  const connections: Array<SeenConnection> = []
  server.on("connection", (socket, { headers }) =>
    connections.push(connectionOf(socket, headers.authorization, admit ?? undefined))
  )
  return {
    url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}/api/v1/daemons/connect`,
    connections,
    connection: (number) =>
      until(`connection ${number}`, () => {
        const connection = connections[number - 1]
        return admit === null || connection?.frames.some(({ type }) => type === "auth") ? connection : undefined
      }),
    refuseNext: (status, reason, headers = {}) => void refusals.push([status, reason, headers]),
    close: async () => {
      for (const { socket } of connections) socket.terminate()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    }
  }
}
