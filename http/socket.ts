/**
 * The daemon's WebSocket: a native socket on one side, a Connection (actors/connection.ts) on the other. Owns the
 * upgrade, the pings and the silence rule; what is sent waits in outbox.ts. Reads no frame.
 */

import type { HttpRequest, HttpResponse, us_socket_context_t, WebSocket } from "uWebSockets.js"
import { type Clock, Effect } from "effect"
import type { Connection, Connections, Peer } from "../actors/connection.ts"
import type { Timer, Wheel } from "../actors/wheel.ts"
import { Overloaded, UpgradeRequired } from "../src/errors.ts"
import {
  nativeFrameBytesMax,
  nativeIdleSecondsMax,
  outboxBytesMax,
  overloadRetrySeconds,
  pingMillis,
  silenceMillisMax
} from "../src/limits.ts"
import { steadyMillis } from "../src/steady.ts"
import { count, sumOf } from "../src/telemetry.ts"
import { Ends } from "./ends.ts"
import { later, relieve } from "./flush.ts"
import { forwardedOf, requestIdOf } from "./head.ts"
import { Outbox } from "./outbox.ts"
import { problem } from "./problem.ts"
import type { Server } from "./server.ts"
import { statusLine } from "./statuses.ts"

/** Where daemons connect. */
export const socketPath = "/api/v1/daemons/connect"

const restarting = 1012
const tooMany = 4503
const framesReceived = sumOf("hub_frames_received_total")
// the library has looked at the bytes: what is no UTF-8 never comes here
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** One open socket. After its close nothing touches the native side. */
class Socket extends Outbox<WebSocket<Kept>> implements Peer {
  readonly address: string
  connection: Connection | undefined
  heardAt = 0
  /** Pings whose pong has not come. */
  unanswered = 0
  pingTimer: Timer | undefined

  constructor(address: string, wheel: Wheel["Service"]) {
    super(wheel)
    this.address = address
  }
}

/** What the library keeps: it copies the members onto the native object, so ours stays one step behind. */
interface Kept {
  readonly socket: Socket
}

/** What the sockets of a server need. */
export interface SocketNeeds {
  readonly connections: Connections["Service"]
  readonly wheel: Wheel["Service"]
  readonly clock: Clock.Clock
  /** Logs a bug. */
  readonly defect: (defect: unknown, where: string) => void
}

/** Serves the daemon socket. */
export const serveSockets = (server: Server, needs: SocketNeeds) => {
  const { connections, wheel, clock } = needs
  const sockets = new Set<Socket>()
  let unanswered = 0
  let opened = 0
  let emptied = (): void => {}

  const heard = (socket: Socket): void => {
    socket.heardAt = steadyMillis(clock)
  }

  /** Pings, or ends what has been silent too long: a lost connection, not a goodbye. */
  const beat = (socket: Socket): void => {
    const { native } = socket
    if (native === undefined) return
    const silence = steadyMillis(clock) - socket.heardAt
    if (silence >= silenceMillisMax) return native.close()
    unanswered++
    socket.unanswered++
    socket.ping()
    socket.pingTimer = wheel.after(Math.min(pingMillis, silenceMillisMax - silence), () => beat(socket))
  }

  const end = ({ socket, code }: { readonly socket: Socket; readonly code: number }): void => {
    socket.pingTimer?.clear()
    sockets.delete(socket)
    unanswered -= socket.unanswered
    socket.connection?.closed(code)
    if (sockets.size === 0) emptied()
  }
  const ends = new Ends(end, (defect) => needs.defect(defect, "the end of a socket"))

  const upgrade = (res: HttpResponse, req: HttpRequest, context: us_socket_context_t): void => {
    const peer = Buffer.from(res.getRemoteAddressAsText()).toString("latin1")
    const { bucket } = server.exchanges.addresses.client(peer, forwardedOf(req))
    const admitted = connections.admits(bucket)
    if (server.exchanges.draining || !admitted) {
      const exchange = server.exchange(res, req)
      const retryAfter = admitted ? overloadRetrySeconds : Math.ceil(connections.putOff() / 1_000)
      const failure = new Overloaded({ retryAfter })
      exchange.answer(problem(failure, exchange.requestId), true)
      return exchange.left()
    }
    const key = req.getHeader("sec-websocket-key")
    const protocol = req.getHeader("sec-websocket-protocol")
    const extensions = req.getHeader("sec-websocket-extensions")
    res.writeStatus(statusLine(101)).writeHeader("x-request-id", requestIdOf(req))
    res.upgrade<Kept>({ socket: new Socket(bucket, wheel) }, key, protocol, extensions, context)
  }

  server.app.ws<Kept>(socketPath, {
    maxPayloadLength: nativeFrameBytesMax,
    maxBackpressure: outboxBytesMax * 2,
    idleTimeout: nativeIdleSecondsMax,
    sendPingsAutomatically: false,
    upgrade,
    open: (native) => {
      const { socket } = native.getUserData()
      socket.native = native
      const connection = connections.open(socket)
      if (typeof connection === "number") {
        native.end(tooMany, JSON.stringify({ afterMs: connection }))
        return relieve()
      }
      socket.connection = connection
      heard(socket)
      sockets.add(socket)
      count("hub_sockets_opened_total")
      // Spread over the span, so that a fleet that came back at once is not pinged at once.
      opened = (opened + 1_013) % pingMillis
      socket.pingTimer = wheel.after(pingMillis - opened, () => beat(socket))
      relieve()
    },
    message: (native, message, isBinary) => {
      const { socket } = native.getUserData()
      heard(socket)
      framesReceived.sum++
      if (isBinary) socket.connection?.receiveBinary()
      else socket.connection?.receive(utf8.decode(message), message.byteLength)
    },
    ping: (native) => {
      const { socket } = native.getUserData()
      heard(socket)
      socket.connection?.heard()
    },
    pong: (native) => {
      const { socket } = native.getUserData()
      if (socket.unanswered > 0) {
        socket.unanswered--
        unanswered--
      }
      heard(socket)
      socket.connection?.heard()
    },
    drain: (native) => native.getUserData().socket.connection?.drained(),
    close: (native, code) => {
      const { socket } = native.getUserData()
      socket.detach()
      count("hub_sockets_closed_total", String(code))
      // who was put off leaves nothing behind
      if (socket.connection !== undefined) {
        socket.connection.gone()
        ends.add({ socket, code })
      }
      relieve()
    }
  })
  for (const method of ["GET", "HEAD"]) {
    server.route(method, socketPath, { parameters: 0, headers: [] }, (exchange) => {
      exchange.answer(problem(new UpgradeRequired(), exchange.requestId))
    })
  }

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

/** The sockets of a server. */
export type Sockets = ReturnType<typeof serveSockets>
