/**
 * The daemon's WebSocket: a native socket on one side, a Connection (actors/connections/connections.ts) on the other.
 * Owns the library's callbacks. open-sockets.ts has the pings and the closes, upgrade-request.ts decides about
 * upgrades, outbox.ts queues frames. Parses no frame.
 */

import type { HttpResponse, us_socket_context_t, WebSocketBehavior } from "uWebSockets.js"
import type { Clock } from "effect"
import type { Connections } from "../../actors/connections/connections.ts"
import type { Connection } from "../../actors/daemon/socket-port.ts"
import { UpgradeRequired } from "../../src/errors.ts"
import { frameSpareBytes } from "../../src/limits/large.ts"
import { resultEdgeBytes, wideFrameBytesMax } from "../../src/limits/sockets.ts"
import {
  largeFrameBytes,
  nativeFrameBytesMax,
  nativeIdleSecondsMax,
  outboxBytesMax,
  resultFrameBytesMax
} from "../../src/limits.ts"
import { abnormalClosure } from "../../src/protocol/close.ts"
import { bufferPool } from "../../src/runtime/buffer-pool.ts"
import { count, sumOf } from "../../src/runtime/metrics.ts"
import type { Timers } from "../../src/runtime/timers.ts"
import { problem } from "../pipeline/problem.ts"
import { FramesPerTurn } from "./frames-per-turn.ts"
import { OpenSockets, Socket, type SocketData } from "./open-sockets.ts"
import type { Server } from "./server.ts"
import { statusLine } from "./status-lines.ts"
import { flushIfCrowded } from "./tick-flush.ts"
import { UnsentFrames } from "./unsent-frames.ts"
import { serveUpgrades, type UpgradeNeeds } from "./upgrade-request.ts"
import { handshakeHeaders, headSourceOf, type Origins, readHandshake } from "./websocket-handshake.ts"

export const socketPath = "/api/v1/daemons/connect"

/**
 * A second pattern for the same path: all sockets of one behaviour share a frame size limit, so there are two
 * behaviours. The first request reveals the native context of each.
 */
const narrowPath = "/api/v1/daemons/:socket"
const oversizedReason = Buffer.from("Received too big message")
const framesReceived = sumOf("hub_frames_received_total")
// the library has validated the bytes: invalid UTF-8 never arrives here
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })
const latin1 = new TextDecoder("latin1")

/** The services that the sockets of a server need. */
export interface SocketNeeds {
  readonly connections: Connections["Service"]
  readonly timers: Timers["Service"]
  readonly clock: Clock.Clock
  /** Logs a defect. */
  readonly defect: (defect: unknown, where: string) => void
  /** Logs that the store failed. */
  readonly storeFailed: UpgradeNeeds["storeFailed"]
  /** Origins whose pages may connect. */
  readonly origins: ReadonlyArray<string>
}

/** The first and last bytes of a text that is too large to parse. */
const headAndTailOf = (message: ArrayBuffer): string =>
  latin1.decode(message.slice(0, resultEdgeBytes)) + latin1.decode(message.slice(-resultEdgeBytes))

/** Gives a frame to its connection. */
const give = (connection: Connection | undefined, message: ArrayBuffer, isBinary: boolean): void => {
  if (isBinary) connection?.receiveBinary(message.byteLength)
  else if (message.byteLength > resultFrameBytesMax) connection?.receiveOversized(headAndTailOf(message))
  else if (message.byteLength < largeFrameBytes) connection?.receive(utf8.decode(message), message.byteLength)
  // copied: the library reuses its buffer
  else connection?.receiveLarge(bufferPool.copy(new Uint8Array(message), frameSpareBytes))
}

/** The library's callbacks for open sockets. */
const behaviourOf = (
  server: Server,
  connections: Connections["Service"],
  sockets: OpenSockets,
  turns: FramesPerTurn<Socket>
): WebSocketBehavior<SocketData> => ({
  maxBackpressure: outboxBytesMax * 2,
  idleTimeout: nativeIdleSecondsMax,
  sendPingsAutomatically: false,
  open: (native) => {
    const { socket, pass } = native.getUserData()
    socket.native = native
    socket.connection = connections.open(socket, pass)
    sockets.add(socket)
    count("hub_sockets_opened_total")
    flushIfCrowded()
  },
  message: (native, message, isBinary) => {
    const { socket } = native.getUserData()
    // what came behind its last frame is void: ended here, the library reads no more of it (tens of thousands of tiny
    // frames are one read)
    if (socket.isClosing) return socket.flush()
    sockets.noteActivity(socket)
    framesReceived.sum++
    const { byteLength } = message
    if (turns.take(socket, byteLength)) return give(socket.connection, message, isBinary)
    const kept = message.slice(0)
    turns.postpone(socket, byteLength, () => give(socket.connection, kept, isBinary))
  },
  ping: (native) => sockets.control(native, native.getUserData().socket),
  pong: (native, payload) => sockets.control(native, native.getUserData().socket, latin1.decode(payload)),
  drain: (native) => native.getUserData().socket.noteUnsent(),
  close: (native, code, reason) => {
    const { socket } = native.getUserData()
    const told = socket.cutFor ?? code
    socket.detach()
    // what it said before counts
    turns.catchUp(socket)
    server.open.socketClosed(socket.holder)
    count("hub_sockets_closed_total", String(told))
    socket.connection?.gone(code)
    sockets.closed(socket, told, code === abnormalClosure && oversizedReason.equals(Buffer.from(reason)))
    flushIfCrowded()
  }
})

/** Serves the daemon socket. */
export const serveSockets = (server: Server, needs: SocketNeeds): OpenSockets => {
  const { connections, timers, clock, defect } = needs
  const sockets = new OpenSockets(timers, clock, defect)

  /**
   * Outside its own callback a response must be upgraded uncorked (upgrade-request.ts says why), which makes the
   * library print a warning. While another socket holds the library's single cork buffer, `res.cork` does not cork, and
   * the warning does not appear.
   */
  const runUncorked = (res: HttpResponse, upgrade: () => void): void => {
    const other = sockets.any()
    if (other === undefined) upgrade()
    else other.cork(() => res.cork(upgrade))
  }

  const unsent = new UnsentFrames(timers.monotonic)
  const contexts: { wide?: us_socket_context_t; narrow?: us_socket_context_t } = {}
  const upgrade: UpgradeNeeds["upgrade"] = (res, { pass, address, holder, requestId, key, protocol, extensions }) => {
    const context = pass?.wide === true ? contexts.wide! : contexts.narrow!
    // our part of the head in one write: uncorked each text of it is a system call (connect_cpu_us)
    res.cork(() => res.writeStatus(statusLine(101)).writeHeader("x-request-id", requestId))
    runUncorked(res, () => {
      server.open.upgraded(holder)
      res.upgrade<SocketData>(
        { socket: new Socket(address, holder, timers, unsent), pass },
        key,
        protocol,
        extensions,
        context
      )
    })
  }
  const serveUpgrade = serveUpgrades(server, { ...needs, origins: new Set(needs.origins), upgrade })
  const turns = new FramesPerTurn<Socket>((error) => defect(error, "frame"))
  const behaviour = behaviourOf(server, connections, sockets, turns)
  server.app.ws<SocketData>(socketPath, {
    ...behaviour,
    maxPayloadLength: wideFrameBytesMax,
    upgrade: (res, req, context) => {
      contexts.wide ??= context
      if (contexts.narrow === undefined) req.setYield(true)
      else serveUpgrade(res, req)
    }
  })
  server.app.ws<SocketData>(narrowPath, {
    ...behaviour,
    maxPayloadLength: nativeFrameBytesMax,
    upgrade: (res, req, context) => {
      contexts.narrow ??= context
      if (req.getUrl() === socketPath) serveUpgrade(res, req)
      else req.setYield(true)
    }
  })
  servePlainRequests(server, new Set(needs.origins))
  return sockets
}

/** Answers requests that the library does not treat as a handshake: it checks only the length of the key. */
const servePlainRequests = (server: Server, origins: Origins): void => {
  const wants = { parameters: 0, headers: handshakeHeaders }
  server.route("GET", socketPath, wants, (exchange) => {
    const handshake = readHandshake(headSourceOf(exchange.headers), origins)
    const failure = "_tag" in handshake ? handshake : new UpgradeRequired()
    exchange.answer(problem(failure, exchange.requestId))
  })
  server.route("HEAD", socketPath, { parameters: 0, headers: [] }, (exchange) => {
    exchange.answer(problem(new UpgradeRequired(), exchange.requestId))
  })
}
