/**
 * The daemon's WebSocket: a native socket on one side, a Connection (actors/connections/connections.ts) on the other.
 * Owns the pings, the silence rule and what the library tells; who is upgraded is upgrade-request.ts's, what is sent
 * waits in outbox.ts. Reads no frame.
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
import { Ends } from "./close-queue.ts"
import { Outbox } from "./outbox.ts"
import type { Server } from "./server.ts"
import { statusLine } from "./status-lines.ts"
import { later, relieve } from "./tick-flush.ts"
import { type EntryNeeds, serveEntry } from "./upgrade-request.ts"
import { handshakeHeaders, headSourceOf, type Origins, readHandshake } from "./websocket-handshake.ts"

/** Where daemons connect. */
export const socketPath = "/api/v1/daemons/connect"

/**
 * The same path again, as the library knows it: sockets of one behaviour all take frames of one size, so there are two.
 * The first request shows what belongs to each.
 */
const narrowPath = "/api/v1/daemons/:socket"
const restarting = 1012
const cutOff = 1006
const controlsMillis = 1_000
const oversized = Buffer.from("Received too big message")
const framesReceived = sumOf("hub_frames_received_total")
// the library has looked at the bytes: what is no UTF-8 never comes here
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })
const edges = new TextDecoder("latin1")

/** One open socket. After its close nothing touches the native side. */
class Socket extends Outbox<WebSocket<Kept>> implements Peer {
  readonly address: string
  /** Whom its connection counts for. */
  readonly holder: string | undefined
  connection: Connection | undefined
  heardAt = 0
  /** Pings whose pong has not come. */
  unanswered = 0
  pingTimer: Timer | undefined
  /** Pings and pongs in the second that began then. */
  controls = 0
  controlsAt = 0

  constructor(address: string, holder: string | undefined, timers: Timers["Service"]) {
    super(timers)
    this.address = address
    this.holder = holder
  }
}

/** What the library keeps: it copies the members onto the native object, so ours stays one step behind. */
interface Kept {
  readonly socket: Socket
  /** What it was let in with; absent: its token comes in a frame. */
  readonly pass: UpgradePass | undefined
}

interface Ended {
  readonly socket: Socket
  readonly code: number
  /** By a frame larger than the library takes. */
  readonly large: boolean
}

/** What the sockets of a server need. */
export interface SocketNeeds {
  readonly connections: Connections["Service"]
  readonly timers: Timers["Service"]
  readonly clock: Clock.Clock
  /** Logs a bug. */
  readonly defect: (defect: unknown, where: string) => void
  /** Logs that the store failed. */
  readonly storeFailed: EntryNeeds["storeFailed"]
  /** Origins whose pages may connect. */
  readonly origins: ReadonlyArray<string>
}

/** Either end of a text that is too large to be read. */
const edgesOf = (message: ArrayBuffer): string =>
  edges.decode(message.slice(0, resultEdgeBytes)) + edges.decode(message.slice(-resultEdgeBytes))

/** Serves the daemon socket. */
export const serveSockets = (server: Server, needs: SocketNeeds) => {
  const { connections, timers, clock } = needs
  const sockets = new Set<Socket>()
  let unanswered = 0
  let opened = 0
  let emptied = (): void => {}

  const heard = (socket: Socket): void => {
    socket.heardAt = monotonicMillis(clock)
  }

  /** Pings, or ends what has been silent too long: a lost connection, not a goodbye. */
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

  const end = ({ socket, code, large }: Ended): void => {
    socket.pingTimer?.clear()
    sockets.delete(socket)
    unanswered -= socket.unanswered
    socket.connection?.closed(code, large)
    if (sockets.size === 0) emptied()
  }
  const ends = new Ends(end, (defect) => needs.defect(defect, "the end of a socket"))

  /** Whether a ping or pong is one too many: they cost the hub as much as frames and are charged to nobody. */
  const floods = (native: WebSocket<Kept>, socket: Socket): boolean => {
    if (socket.heardAt - socket.controlsAt >= controlsMillis) {
      socket.controlsAt = socket.heardAt
      socket.controls = 0
    }
    if (++socket.controls <= controlsPerSecondMax) return false
    native.close()
    return true
  }

  /**
   * Outside of its own callback a response is upgraded uncorked (pending-upgrade.ts says why), of which the library
   * warns on standard error each time. While another socket has the library's one cork, a cork of ours is none, and it
   * does not warn.
   */
  const withoutCork = (res: HttpResponse, upgrade: () => void): void => {
    for (const { native } of sockets) {
      if (native === undefined) continue
      native.cork(() => res.cork(upgrade))
      return
    }
    upgrade()
  }

  const contexts: { wide?: us_socket_context_t; narrow?: us_socket_context_t } = {}
  const upgrade: EntryNeeds["upgrade"] = (res, { pass, address, holder, requestId, key, protocol, extensions }) => {
    const context = pass?.wide === true ? contexts.wide! : contexts.narrow!
    withoutCork(res, () => {
      res.writeStatus(statusLine(101)).writeHeader("x-request-id", requestId)
      server.open.upgraded(holder)
      res.upgrade<Kept>({ socket: new Socket(address, holder, timers), pass }, key, protocol, extensions, context)
    })
  }
  const enter = serveEntry(server, { ...needs, origins: new Set(needs.origins), upgrade })

  const behaviour: WebSocketBehavior<Kept> = {
    maxBackpressure: outboxBytesMax * 2,
    idleTimeout: nativeIdleSecondsMax,
    sendPingsAutomatically: false,
    open: (native) => {
      const { socket, pass } = native.getUserData()
      socket.native = native
      socket.connection = connections.open(socket, pass)
      heard(socket)
      sockets.add(socket)
      count("hub_sockets_opened_total")
      // Spread over the span, so that a fleet that came back at once is not pinged at once.
      opened = (opened + 1_013) % pingMillis
      socket.pingTimer = timers.after(pingMillis - opened, () => beat(socket))
      relieve()
    },
    message: (native, message, isBinary) => {
      const { socket } = native.getUserData()
      heard(socket)
      framesReceived.sum++
      if (isBinary) socket.connection?.receiveBinary(message.byteLength)
      else if (message.byteLength > resultFrameBytesMax) socket.connection?.receiveOversized(edgesOf(message))
      else if (message.byteLength < largeFrameBytes)
        socket.connection?.receive(utf8.decode(message), message.byteLength)
      // the library takes its bytes back
      else socket.connection?.receiveLarge(new Uint8Array(message.slice(0)))
    },
    ping: (native) => {
      const { socket } = native.getUserData()
      heard(socket)
      if (!floods(native, socket)) socket.connection?.heard()
    },
    pong: (native) => {
      const { socket } = native.getUserData()
      if (socket.unanswered > 0) {
        socket.unanswered--
        unanswered--
      }
      heard(socket)
      if (!floods(native, socket)) socket.connection?.heard()
    },
    drain: (native) => native.getUserData().socket.connection?.drained(),
    close: (native, code, reason) => {
      const { socket } = native.getUserData()
      socket.detach()
      server.open.socketClosed(socket.holder)
      count("hub_sockets_closed_total", String(code))
      socket.connection?.gone(code)
      ends.add({ socket, code, large: code === cutOff && oversized.equals(Buffer.from(reason)) })
      relieve()
    }
  }
  server.app.ws<Kept>(socketPath, {
    ...behaviour,
    maxPayloadLength: wideFrameBytesMax,
    upgrade: (res, req, context) => {
      contexts.wide ??= context
      if (contexts.narrow === undefined) req.setYield(true)
      else enter(res, req)
    }
  })
  server.app.ws<Kept>(narrowPath, {
    ...behaviour,
    maxPayloadLength: nativeFrameBytesMax,
    upgrade: (res, req, context) => {
      contexts.narrow ??= context
      if (req.getUrl() === socketPath) enter(res, req)
      else req.setYield(true)
    }
  })
  serveNoSocket(server, new Set(needs.origins))

  return {
    /** Open sockets. */
    size: () => sockets.size,
    /** Pings whose pong has not come; for tests that move the clock. */
    unanswered: () => unanswered,
    /** Ends every socket with 1012 (restarting); ends when they are closed. */
    closeAll: Effect.callback<void>((resume) => {
      if (sockets.size === 0) return resume(Effect.void)
      emptied = () => later(() => resume(Effect.void))
      for (const socket of sockets) socket.close(restarting, "restarting")
    })
  }
}

/** What the library takes for no handshake: it has looked at the length of the key alone. */
const serveNoSocket = (server: Server, origins: Origins): void => {
  const wants = { parameters: 0, headers: handshakeHeaders }
  server.route("GET", socketPath, wants, (exchange) => {
    const judged = readHandshake(headSourceOf(exchange.headers), origins)
    const failure = "_tag" in judged ? judged : new UpgradeRequired()
    exchange.answer(problem(failure, exchange.requestId))
  })
  server.route("HEAD", socketPath, { parameters: 0, headers: [] }, (exchange) => {
    exchange.answer(problem(new UpgradeRequired(), exchange.requestId))
  })
}

/** The sockets of a server. */
export type Sockets = ReturnType<typeof serveSockets>
