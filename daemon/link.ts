/**
 * The connection to the hub: opens it, authenticates, detects its death, and reconnects by the rules of the close
 * codes. Owns one socket at a time; knows no command and no agent.
 */
import { WebSocket } from "ws"
import { foreignAnswer } from "../client/src/foreign-answer.ts"
import { whyLost } from "../client/src/lost-connection.ts"
import { afterClose, afterProblem, atLeastMillis, backoffMillis } from "./backoff.ts"
import type { Clock } from "./clock.ts"
import { hubUrl, socketPath } from "./hub-address.ts"
import {
  admissionMillisMax,
  awayMillisMax,
  frameBytesMax,
  settledMillis,
  silentHeartbeatsMax,
  slotPatienceMillis,
  wakeAnswerMillis
} from "./limits.ts"
import type { Log } from "./log.ts"
import { problemOf, untilRetry } from "./problem.ts"
import { proxyAgent } from "./proxy.ts"
import { watchSleep } from "./sleep-watch.ts"
import { type Admission, frameText, readAdmission, readFrame } from "./wire.ts"

/** What a link needs and whom it tells. */
export interface LinkSurroundings {
  readonly url: string
  /** Brought with the upgrade. */
  readonly token: string
  readonly clock: Clock
  readonly log: Log
  /** The data of the `auth` frame. */
  readonly introduction: () => unknown
  readonly admitted: (admission: Admission) => void
  /** A frame for the daemon itself. */
  readonly received: (type: string, data: Readonly<Record<string, unknown>>) => void
  /** Whether a command has not been answered yet. */
  readonly busy: () => boolean
  /** An admitted connection is gone. */
  readonly lost: () => void
  /** The hub does not want us back; why, in words. */
  readonly refused: (reason: string) => void
}

/** The connection to the hub. */
export class Link {
  readonly #around: LinkSurroundings
  #socket: WebSocket | undefined
  #admission: Admission | undefined
  #admittedAt = 0
  #heardAt = 0
  #attempt = 0
  #connections = 0
  #stopped = false
  /** When the hub wants us to come back, said on this connection. */
  #slotAt: number | undefined
  /** How long it asks us to stay away at least, said instead of an upgrade. */
  #atLeast = 0
  /** Why it does not want us back, said instead of an upgrade. */
  #final: string | undefined
  /** Why the present connection was not opened, or broke, as it is to be logged. */
  #failed: Parameters<Log> | undefined
  #cancels: Array<() => void> = []
  /** While it waits to come back, and the hub has not asked it to stay away: comes back now. */
  #comeBack: (() => void) | undefined
  #cancelWake: (() => void) | undefined

  constructor(around: LinkSurroundings) {
    this.#around = around
  }

  /** Number of the present connection: what began on an earlier one has no caller any more. */
  get connection(): number {
    return this.#connections
  }

  /** What the hub said on `auth_ok`; undefined while not connected. */
  get admission(): Admission | undefined {
    return this.#admission
  }

  /** Opens the first connection. */
  start(): void {
    if (this.#stopped) return
    const { url, token, clock, log } = this.#around
    this.#comeBack = undefined
    this.#cancelWake ??= watchSleep(clock, (millis) => this.#woke(millis))
    const number = ++this.#connections
    log("connecting", { url, attempt: this.#attempt + 1 })
    this.#failed = undefined
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${token}` },
      maxPayload: frameBytesMax,
      perMessageDeflate: false,
      agent: proxyAgent(url),
      handshakeTimeout: admissionMillisMax
    })
    this.#socket = socket
    this.#cancels.push(clock.after(admissionMillisMax, () => this.#unless(number, "not admitted in time")))
    const heard = (): void => {
      this.#heardAt = clock.steady()
    }
    socket.on("open", () => socket.send(frameText("auth", this.#around.introduction())))
    socket.on("ping", heard)
    socket.on("message", (bytes, binary) => {
      heard()
      if (!binary) this.#frame(number, bytes.toString())
    })
    socket.on("unexpected-response", (_request, response) => {
      this.#atLeast = untilRetry(response.headers)
      void problemOf(response).then(({ reason }) => {
        const { statusCode: status = 0, headers } = response
        const header = (name: string) => headers[name]?.toString()
        this.#final = afterProblem(reason)
        this.#failed =
          reason === ""
            ? ["connection failed", { reason: foreignAnswer(hubUrl(url), socketPath, { status, header }) }]
            : ["the hub takes no connection now", { status, reason }]
        socket.terminate()
      })
    })
    socket.on("error", (error) => {
      this.#failed ??= ["connection failed", { reason: whyLost(hubUrl(url), error) }]
    })
    socket.once("close", (code, reason) => this.#closed(number, code, reason.toString()))
  }

  #unless(number: number, reason: string): void {
    if (this.#admission !== undefined || number !== this.#connections) return
    this.#around.log("giving up on this connection", { reason })
    this.#socket?.terminate()
  }

  #frame(number: number, text: string): void {
    if (number !== this.#connections) return
    const frame = readFrame(text)
    const { log } = this.#around
    if (frame === undefined) {
      log("a frame that is none was ignored")
      return
    }
    const { type, data } = frame
    if (type === "auth_ok") return this.#admitted(readAdmission(data))
    if (type === "auth_error") {
      log("the hub refused us", { reason: String(data["reason"]), at: String(data["at"] ?? "") })
    }
    if (type === "unsupported") log("the hub does not know a frame", { type: String(data["type"]) })
    if (type === "reconnect") this.#slot(number, data["afterMs"])
    this.#around.received(type, data)
  }

  /** The hub will not be here for long: we close at our slot and come back at once, to whichever node is there then. */
  #slot(number: number, afterMs: unknown): void {
    if (typeof afterMs !== "number" || !(afterMs >= 0) || this.#slotAt !== undefined) return
    const { clock, log } = this.#around
    const millis = Math.min(afterMs, awayMillisMax)
    this.#slotAt = clock.steady() + millis
    log("the hub restarts", { againInMs: millis })
    this.#cancels.push(clock.after(millis, () => this.#leave(number, false)))
  }

  /** Busy, it is the hub that closes: it knows when no command is on its way any more. */
  #leave(number: number, late: boolean): void {
    if (number !== this.#connections || this.#socket === undefined) return
    if (late || !this.#around.busy()) return this.#socket.close(restarting, "restarting")
    this.#cancels.push(this.#around.clock.after(slotPatienceMillis, () => this.#leave(number, true)))
  }

  #admitted(admission: Admission): void {
    const { clock, log } = this.#around
    this.#admission = admission
    this.#admittedAt = clock.steady()
    this.#quiet()
    this.#watch(admission.heartbeatMs)
    log("connected", { daemonId: admission.daemonId })
    this.#around.admitted(admission)
  }

  /** The hub pings; when it has not for a while, the connection is dead although it is not closed. */
  #watch(heartbeatMs: number): void {
    this.#cancels.push(
      this.#around.clock.after(heartbeatMs, () => {
        if (this.#around.clock.steady() - this.#heardAt < heartbeatMs * silentHeartbeatsMax)
          return this.#watch(heartbeatMs)
        this.#around.log("the hub is silent", { ms: this.#around.clock.steady() - this.#heardAt })
        this.#socket?.terminate()
      })
    )
    if (this.#cancels.length > 2) this.#cancels.splice(0, this.#cancels.length - 2)
  }

  /** Its connection may have died unnoticed; and a daemon that slept has kept away long enough. */
  #woke(sleptMs: number): void {
    this.#around.log("this machine has slept", { ms: sleptMs })
    this.#attempt = 0
    if (this.#comeBack === undefined) this.#askAlive(this.#connections)
    else this.#comeBack()
  }

  /** A connection that the hub does not answer on at once is given up, and the next one is begun at once. */
  #askAlive(number: number): void {
    const { clock } = this.#around
    const socket = this.#socket
    if (socket === undefined) return
    let hasAnswered = false
    for (const sign of ["pong", "ping", "message"]) socket.once(sign, () => (hasAnswered = true))
    if (socket.readyState === WebSocket.OPEN) socket.ping()
    clock.after(wakeAnswerMillis, () => {
      if (hasAnswered || this.#stopped || number !== this.#connections) return
      socket.terminate()
      socket.once("close", () => this.#comeBack?.())
    })
  }

  #quiet(): void {
    for (const cancel of this.#cancels.splice(0)) cancel()
  }

  /**
   * At our slot where the hub sent us there; lost before it by accident, by the backoff and at the slot at the latest,
   * since callers wait. Else by the backoff. Never sooner than the hub asks.
   */
  #pause(code: number, reason: string): number {
    const slotAt = this.#slotAt
    const atLeast = Math.max(this.#atLeast, atLeastMillis(code, reason))
    this.#slotAt = undefined
    this.#atLeast = 0
    const toSlot = slotAt === undefined ? Number.POSITIVE_INFINITY : Math.max(0, slotAt - this.#around.clock.steady())
    if (slotAt !== undefined && code === restarting) return toSlot
    return Math.max(atLeast, Math.min(toSlot, backoffMillis(this.#attempt++, this.#around.clock.random)))
  }

  #closed(number: number, code: number, reason: string): void {
    if (number !== this.#connections) return
    const { clock, log } = this.#around
    this.#quiet()
    this.#socket = undefined
    if (this.#admission !== undefined) {
      if (clock.steady() - this.#admittedAt >= settledMillis) this.#attempt = 0
      this.#admission = undefined
      this.#around.lost()
    }
    if (this.#stopped) return
    const final = this.#final ?? afterClose(code)
    if (final !== undefined) {
      this.#stopped = true
      this.#cancelWake?.()
      // without a connection there is no code but the one that stands for none
      log("not coming back", { ...(this.#failed === undefined && { code }), reason: final })
      this.#around.refused(final)
      return
    }
    const isAsked = this.#slotAt !== undefined || Math.max(this.#atLeast, atLeastMillis(code, reason)) > 0
    const millis = this.#pause(code, reason)
    const [what, facts] = this.#failed ?? ["disconnected", { code, reason }]
    log(what, { ...facts, againInMs: millis })
    this.#cancels.push(clock.after(millis, () => this.start()))
    if (isAsked) return
    this.#comeBack = () => {
      this.#quiet()
      this.start()
    }
  }

  /** Sends a frame; false while not connected. */
  send(text: string): boolean {
    if (this.#admission === undefined || this.#socket?.readyState !== WebSocket.OPEN) return false
    this.#socket.send(text)
    return true
  }

  /** Says goodbye and does not come back. Resolves when the socket is closed. */
  stop(): Promise<void> {
    this.#stopped = true
    this.#cancelWake?.()
    this.#quiet()
    const socket = this.#socket
    if (socket === undefined) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = this.#around.clock.after(goodbyeMillis, () => socket.terminate())
      socket.once("close", () => {
        cancel()
        resolve()
      })
      socket.close(1000, "daemon stops")
    })
  }
}

const goodbyeMillis = 1_000
const restarting = 1012
