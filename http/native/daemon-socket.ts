/**
 * The daemon's WebSocket: a native socket on one side, a Connection (actors/connections/connections.ts) on the other.
 * Owns the pings, the silence timeout and the library's callbacks. upgrade-request.ts decides about upgrades, outbox.ts
 * queues frames. Parses no frame.
 */

import type { HttpResponse, us_socket_context_t, WebSocket, WebSocketBehavior } from "uWebSockets.js"
import { type Clock, Effect } from "effect"
import type { Connections } from "../../actors/connections/connections.ts"
import type { Connection, Peer } from "../../actors/connections/peer.ts"
import type { UpgradePass } from "../../actors/connections/upgrade-admission.ts"
import { UpgradeRequired } from "../../src/errors.ts"
import { controlsPerSecondMax, resultEdgeBytes, wideFrameBytesMax } from "../../src/limits/sockets.ts"
import {
  largeFrameBytes,
  nativeFrameBytesMax,
  nativeIdleSecondsMax,
  outboxBytesMax,
  pingMillis,
  resultFrameBytesMax,
  silenceMillisMax
} from "../../src/limits.ts"
import { count, sumOf } from "../../src/runtime/metrics.ts"
import { monotonicMillis } from "../../src/runtime/monotonic.ts"
import type { Timer, Timers } from "../../src/runtime/timers.ts"
import { problem } from "../pipeline/problem.ts"
import { CloseQueue } from "./close-queue.ts"
import { Outbox } from "./outbox.ts"
import type { Server } from "./server.ts"
import { statusLine } from "./status-lines.ts"
import { afterTick, flushIfCrowded } from "./tick-flush.ts"
import { serveUpgrades, type UpgradeNeeds } from "./upgrade-request.ts"
import { handshakeHeaders, headSourceOf, type Origins, readHandshake } from "./websocket-handshake.ts"

/** Where daemons connect. */
export const socketPath = "/api/v1/daemons/connect"

/**
 * A second pattern for the same path: all sockets of one behaviour share a frame size limit, so there are two
 * behaviours. The first request reveals the native context of each.
 */
const narrowPath = "/api/v1/daemons/:socket"
const serviceRestart = 1012
const abnormalClosure = 1006
const controlsMillis = 1_000
const oversizedReason = Buffer.from("Received too big message")
const framesReceived = sumOf("hub_frames_received_total")
// the library has validated the bytes: invalid UTF-8 never arrives here
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })
const latin1 = new TextDecoder("latin1")

/** One open socket. After its close the native side is not touched. */
class Socket extends Outbox<WebSocket<SocketData>> implements Peer {
  readonly address: string
  /** Whom its connection counts for. */
  readonly holder: string | undefined
  connection: Connection | undefined
  heardAt = 0
  /** Pings without a pong so far. */
  unanswered = 0
  pingTimer: Timer | undefined
  /** Pings and pongs received in the second that began at `controlsAt`. */
  controls = 0
  controlsAt = 0

  constructor(address: string, holder: string | undefined, timers: Timers["Service"]) {
    super(timers)
    this.address = address
    this.holder = holder
  }
}

/**
 * The library's user data: it copies these members onto the native object, so the socket is a member, not the object.
 */
interface SocketData {
  readonly socket: Socket
  /** The admission before the upgrade; absent: the token comes in a frame. */
  readonly pass: UpgradePass | undefined
}

interface ClosedSocket {
  readonly socket: Socket
  readonly code: number
  /** Closed by a frame larger than the library accepts. */
  readonly large: boolean
}

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

/** Serves the daemon socket. */
export const serveSockets = (server: Server, needs: SocketNeeds) => {
  const { connections, timers, clock } = needs
  const sockets = new Set<Socket>()
  let unanswered = 0
  let pingOffset = 0
  let onIdle = (): void => {}

  const noteActivity = (socket: Socket): void => {
    socket.heardAt = monotonicMillis(clock)
  }

  /** Pings, or cuts off a socket that has been silent too long: a lost connection, not a clean close. */
  const beat = (socket: Socket): void => {
    const { native } = socket
    if (native === undefined) return
    const silence = monotonicMillis(clock) - socket.heardAt
    if (silence >= silenceMillisMax) return native.close()
    unanswered++
    socket.unanswered++
    socket.ping()
    socket.pingTimer = timers.after(Math.min(pingMillis, silenceMillisMax - silence), () => beat(socket))
  }

  const end = ({ socket, code, large }: ClosedSocket): void => {
    socket.pingTimer?.clear()
    sockets.delete(socket)
    unanswered -= socket.unanswered
    socket.connection?.closed(code, large)
    if (sockets.size === 0) onIdle()
  }
  const closeQueue = new CloseQueue(end, (defect) => needs.defect(defect, "the end of a socket"))

  /** Whether a ping or pong exceeds the limit: control frames cost as much as others, and no budget counts them. */
  const isFlooding = (native: WebSocket<SocketData>, socket: Socket): boolean => {
    if (socket.heardAt - socket.controlsAt >= controlsMillis) {
      socket.controlsAt = socket.heardAt
      socket.controls = 0
    }
    if (++socket.controls <= controlsPerSecondMax) return false
    native.close()
    return true
  }

  /**
   * Outside its own callback a response must be upgraded uncorked (pending-upgrade.ts says why), which makes the
   * library print a warning. While another socket holds the library's single cork buffer, `res.cork` does not cork, and
   * the warning does not appear.
   */
  const runUncorked = (res: HttpResponse, upgrade: () => void): void => {
    for (const { native } of sockets) {
      if (native === undefined) continue
      native.cork(() => res.cork(upgrade))
      return
    }
    upgrade()
  }

  const contexts: { wide?: us_socket_context_t; narrow?: us_socket_context_t } = {}
  const upgrade: UpgradeNeeds["upgrade"] = (res, { pass, address, holder, requestId, key, protocol, extensions }) => {
    const context = pass?.wide === true ? contexts.wide! : contexts.narrow!
    runUncorked(res, () => {
      res.writeStatus(statusLine(101)).writeHeader("x-request-id", requestId)
      server.open.upgraded(holder)
      res.upgrade<SocketData>({ socket: new Socket(address, holder, timers), pass }, key, protocol, extensions, context)
    })
  }
  const serveUpgrade = serveUpgrades(server, { ...needs, origins: new Set(needs.origins), upgrade })

  const behaviour: WebSocketBehavior<SocketData> = {
    maxBackpressure: outboxBytesMax * 2,
    idleTimeout: nativeIdleSecondsMax,
    sendPingsAutomatically: false,
    open: (native) => {
      const { socket, pass } = native.getUserData()
      socket.native = native
      socket.connection = connections.open(socket, pass)
      noteActivity(socket)
      sockets.add(socket)
      count("hub_sockets_opened_total")
      // spread over the interval, so that daemons that reconnected together are not pinged together
      pingOffset = (pingOffset + 1_013) % pingMillis
      socket.pingTimer = timers.after(pingMillis - pingOffset, () => beat(socket))
      flushIfCrowded()
    },
    message: (native, message, isBinary) => {
      const { socket } = native.getUserData()
      noteActivity(socket)
      framesReceived.sum++
      if (isBinary) socket.connection?.receiveBinary(message.byteLength)
      else if (message.byteLength > resultFrameBytesMax) socket.connection?.receiveOversized(headAndTailOf(message))
      else if (message.byteLength < largeFrameBytes)
        socket.connection?.receive(utf8.decode(message), message.byteLength)
      // copied: the library reuses its buffer
      else socket.connection?.receiveLarge(new Uint8Array(message.slice(0)))
    },
    ping: (native) => {
      const { socket } = native.getUserData()
      noteActivity(socket)
      if (!isFlooding(native, socket)) socket.connection?.heard()
    },
    pong: (native) => {
      const { socket } = native.getUserData()
      if (socket.unanswered > 0) {
        socket.unanswered--
        unanswered--
      }
      noteActivity(socket)
      if (!isFlooding(native, socket)) socket.connection?.heard()
    },
    drain: (native) => native.getUserData().socket.connection?.drained(),
    close: (native, code, reason) => {
      const { socket } = native.getUserData()
      socket.detach()
      server.open.socketClosed(socket.holder)
      count("hub_sockets_closed_total", String(code))
      socket.connection?.gone(code)
      closeQueue.add({ socket, code, large: code === abnormalClosure && oversizedReason.equals(Buffer.from(reason)) })
      flushIfCrowded()
    }
  }
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

  return {
    /** Open sockets. */
    size: () => sockets.size,
    /** Pings without a pong so far; for tests that move the clock. */
    unanswered: () => unanswered,
    /** Closes every socket with 1012 (service restart) and waits until all are closed. */
    closeAll: Effect.callback<void>((resume) => {
      if (sockets.size === 0) return resume(Effect.void)
      onIdle = () => afterTick(() => resume(Effect.void))
      for (const socket of sockets) socket.close(serviceRestart, "restarting")
    })
  }
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

/** The sockets of a server. */
export type Sockets = ReturnType<typeof serveSockets>
