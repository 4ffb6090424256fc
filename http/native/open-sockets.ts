/**
 * The open sockets of daemons. Owns the set, the pings, the silence timeout, the bound on control frames, and the order
 * in which closes are handled. daemon-socket.ts has the library's callbacks. Parses no frame.
 */
import type { WebSocket } from "uWebSockets.js"
import { type Clock, Effect } from "effect"
import type { UpgradePass } from "../../actors/connections/upgrade-admission.ts"
import type { Connection, Peer } from "../../actors/daemon/socket-port.ts"
import { controlsPerSecondMax } from "../../src/limits/sockets.ts"
import { pingMillis, silenceMillisMax } from "../../src/limits.ts"
import { close } from "../../src/protocol/close.ts"
import { monotonicMillis } from "../../src/runtime/monotonic.ts"
import type { Timer, Timers } from "../../src/runtime/timers.ts"
import { CloseQueue } from "./close-queue.ts"
import { Outbox } from "./outbox.ts"
import { afterTick } from "./tick-flush.ts"
import type { UnsentFrames } from "./unsent-frames.ts"

const serviceRestart = 1012
const controlsMillis = 1_000

/** One open socket. After its close the native side is not touched. */
export class Socket extends Outbox<WebSocket<SocketData>> implements Peer {
  readonly address: string
  /** Whom its connection counts for. */
  readonly holder: string | undefined
  connection: Connection | undefined
  heardAt = 0
  /** Pings without a pong so far. */
  unanswered = 0
  pingTimer: Timer | undefined
  private pingPayload = ""
  /** Pings and pongs received in the second that began at `controlsAt`. */
  controls = 0
  controlsAt = 0
  /** Cut off for this reason. */
  cutFor: number | undefined

  constructor(address: string, holder: string | undefined, timers: Timers["Service"], unsent: UnsentFrames) {
    super(timers, unsent)
    this.address = address
    this.holder = holder
  }

  override cutUnread(): void {
    this.cutFor = close.notReading.code
    super.cutUnread()
  }

  override ping(payload = this.pingPayload): boolean {
    this.pingPayload = payload
    const isQueued = super.ping(payload)
    if (isQueued) this.unanswered++
    return isQueued
  }
}

/**
 * The library's user data: it copies these members onto the native object, so the socket is a member, not the object.
 */
export interface SocketData {
  readonly socket: Socket
  /** The admission before the upgrade; absent: the token comes in a frame. */
  readonly pass: UpgradePass | undefined
}

/** A socket whose close is handled in its turn. */
interface ClosedSocket {
  readonly socket: Socket
  readonly code: number
  /** Closed by a frame larger than the library accepts. */
  readonly large: boolean
}

/** The open sockets of a server. */
export class OpenSockets {
  private readonly timers: Timers["Service"]
  private readonly clock: Clock.Clock
  private readonly sockets = new Set<Socket>()
  private readonly closeQueue: CloseQueue<ClosedSocket>
  private pingOffset = 0
  private onIdle = (): void => {}

  constructor(timers: Timers["Service"], clock: Clock.Clock, defect: (defect: unknown, where: string) => void) {
    this.timers = timers
    this.clock = clock
    this.closeQueue = new CloseQueue(
      (closed) => this.end(closed),
      (cause) => defect(cause, "the end of a socket")
    )
  }

  /** Number of open sockets. */
  readonly size = (): number => this.sockets.size

  /** Pings without a pong so far; for tests that move the clock. */
  readonly unanswered = (): number => {
    let pings = 0
    for (const { unanswered } of this.sockets) pings += unanswered
    return pings
  }

  /** Closes every socket with 1012 (service restart) and waits until all are closed. */
  readonly closeAll = Effect.callback<void>((resume) => {
    if (this.sockets.size === 0) return resume(Effect.void)
    const goOn = (): void => afterTick(() => resume(Effect.void))
    this.onIdle = goOn
    for (const socket of this.sockets) socket.close(serviceRestart, "restarting")
  })

  add(socket: Socket): void {
    this.noteActivity(socket)
    this.sockets.add(socket)
    // spread over the interval, so that daemons that reconnected together are not pinged together
    this.pingOffset = (this.pingOffset + 1_013) % pingMillis
    socket.pingTimer = this.timers.after(pingMillis - this.pingOffset, () => this.beat(socket))
  }

  noteActivity(socket: Socket): void {
    socket.heardAt = monotonicMillis(this.clock)
  }

  /**
   * Handles a ping, or a pong with its payload. A flood is cut off: control frames cost as much as others, and no
   * budget counts them.
   */
  control(native: WebSocket<SocketData>, socket: Socket, pong?: string): void {
    if (pong !== undefined && socket.unanswered > 0) socket.unanswered--
    this.noteActivity(socket)
    if (socket.heardAt - socket.controlsAt >= controlsMillis) {
      socket.controlsAt = socket.heardAt
      socket.controls = 0
    }
    if (++socket.controls > controlsPerSecondMax) native.close()
    else socket.connection?.heard(pong)
  }

  /** The library has closed a socket: its end is handled in its turn. */
  closed(socket: Socket, code: number, large: boolean): void {
    this.closeQueue.add({ socket, code, large })
  }

  /** The native side of any open socket. */
  any(): WebSocket<SocketData> | undefined {
    for (const { native } of this.sockets) if (native !== undefined) return native
    return undefined
  }

  /** Pings, or cuts off a socket that has been silent too long: a lost connection, not a clean close. */
  private beat(socket: Socket): void {
    const { native } = socket
    if (native === undefined) return
    const silence = monotonicMillis(this.clock) - socket.heardAt
    if (silence >= silenceMillisMax) return native.close()
    socket.ping()
    socket.pingTimer = this.timers.after(Math.min(pingMillis, silenceMillisMax - silence), () => this.beat(socket))
  }

  private end({ socket, code, large }: ClosedSocket): void {
    socket.pingTimer?.clear()
    this.sockets.delete(socket)
    socket.connection?.closed(code, large)
    if (this.sockets.size === 0) this.onIdle()
  }
}
