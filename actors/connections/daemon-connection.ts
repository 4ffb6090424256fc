/**
 * One socket: first unauthenticated, then its daemon's. Owns the time before `auth_ok` (one frame, in time, not too
 * large, well formed, with a token that is good); everything after is the daemon actor's.
 */
import { Exit, type Fiber } from "effect"
import { closingMillisMax, quickLookUpMillis, readBytesMax } from "../../src/limits/sockets.ts"
import { authFrameBytesMax, authMillisMax } from "../../src/limits.ts"
import { tokenIn } from "../../src/protocol/auth-error.ts"
import { abnormalClosure, type CloseRule, close, disabledClose } from "../../src/protocol/close.ts"
import { encodeFrame } from "../../src/protocol/codec.ts"
import type { Auth } from "../../src/protocol/frames.ts"
import { textOfBytes } from "../../src/protocol/large-frame.ts"
import type { Timer, Timers } from "../../src/runtime/timers.ts"
import { takeAuth } from "../daemon/account-share.ts"
import { namedCommands } from "../daemon/decide-command.ts"
import { newState } from "../daemon/perform.ts"
import type { ReportScheduler } from "../daemon/report-scheduler.ts"
import type { Connection, Peer } from "../daemon/socket-port.ts"
import type { Daemon, DaemonAction, DaemonMessage, DaemonState } from "../daemon/state.ts"
import type { Roster } from "../presence/roster.ts"
import type { Behaviour } from "../runtime/actor.ts"
import type { Supervisor } from "../runtime/supervisor.ts"
import {
  type Admitted,
  type AuthFrame,
  authOk,
  capabilitiesOf,
  type Declined,
  type FirstFrame,
  firstFrameOf,
  needsToken,
  type Refusal,
  readFirst
} from "./authentication.ts"
import type { ConnectionLog, LoggedSocket } from "./connection-log.ts"
import type { UnauthenticatedSockets, Weight } from "./unauthenticated.ts"
import type { UpgradePass } from "./upgrade-admission.ts"

/** What a connection works with. */
export interface ConnectionContext {
  readonly timers: Timers["Service"]
  readonly roster: Roster["Service"]
  readonly supervisor: Supervisor["Service"]
  readonly behaviour: Behaviour<DaemonState, DaemonMessage, DaemonAction>
  readonly shares: ReportScheduler
  /** Looks a token up and claims its daemon; `then` as below. `charged`: the connect throttle has counted it. */
  readonly admit: (
    token: string,
    auth: Auth,
    charged: boolean,
    then: (admitted: Exit.Exit<Admitted | Declined, unknown>) => void
  ) => Admitting
  /**
   * Why a token would be declined, as far as is known now: undefined when it is good, and its account has taken
   * `cost`, that of reading a heavy frame; else 0. `then` is called once, unless the fiber is interrupted.
   */
  readonly declinedFor: (
    token: string,
    cost: number,
    then: (declined: Exit.Exit<Declined | undefined, unknown>) => void
  ) => Admitting
  /** Connections whose token is not known. */
  readonly unauthenticated: UnauthenticatedSockets<DaemonConnection>
  /** Connections whose token came with the upgrade and that are not welcomed yet, by token. */
  readonly awaitingAuth: Map<string, DaemonConnection>
  /** The states of those that are welcomed. */
  readonly alive: Set<DaemonState>
  readonly log: ConnectionLog
}

/** An admission under way. */
type Admitting = Fiber.Fiber<unknown, unknown>

export class DaemonConnection implements Connection {
  private readonly context: ConnectionContext
  private readonly peer: Peer
  /** Its token came with the upgrade and was found good. */
  private pass: UpgradePass | undefined
  private readonly logged: LoggedSocket
  private daemon: Daemon | undefined
  private authTimer: Timer | undefined
  private admitting: Admitting | undefined
  private asked = false
  private over = false
  /** What the library may hold of it: a frame that never came to its end could be of any size. */
  private weight: Weight = "heavy"
  /** When its token began to be looked up. */
  private askedAt = 0

  constructor(context: ConnectionContext, peer: Peer, pass?: UpgradePass) {
    this.context = context
    this.peer = peer
    this.logged = context.log.opened(peer.address)
    this.pass = pass
    this.authTimer = context.timers.after(authMillisMax, () => this.end(close.authLate))
    if (pass === undefined) context.unauthenticated.add(this, peer.address, context.timers.monotonic())
    else {
      // of one token only the newest waits: it opens no more than two sockets
      context.awaitingAuth.get(pass.token)?.end(close.replaced)
      context.awaitingAuth.set(pass.token, this)
    }
  }

  receive(text: string, bytes: number): void {
    this.logged.frames++
    if (this.daemon === undefined) this.receiveFirst(text, bytes)
    else this.tell({ type: "frame", text, bytes, now: this.context.timers.now() })
  }

  receiveLarge(bytes: Uint8Array): void {
    if (this.daemon !== undefined) this.tell({ type: "large", bytes, now: this.context.timers.now() })
    else this.receiveFirst(bytes.byteLength > authFrameBytesMax ? "" : textOfBytes(bytes), bytes.byteLength)
  }

  receiveOversized(edges: string): void {
    if (this.daemon === undefined) this.refuse({ reason: "frame_too_large", at: "" }, close.frameInvalid)
    else this.tell({ type: "oversized", edges, now: this.context.timers.now() })
  }

  receiveBinary(bytes: number): void {
    if (this.daemon === undefined) {
      this.weigh(bytes)
      this.refuse({ reason: "frame_not_text", at: "" }, close.frameInvalid)
    } else this.tell({ type: "order", rule: close.frameInvalid, departure: "lost" })
  }

  heard(pong?: string): void {
    if (this.daemon !== undefined) this.tell({ type: "heard", now: this.context.timers.now(), pong })
  }

  gone(code: number): void {
    const { unauthenticated, timers } = this.context
    const isCut = code === abnormalClosure
    if (!this.over && !isCut && this.daemon === undefined && this.pass === undefined) {
      unauthenticated.closedByPeer(this.peer.address, timers.monotonic())
    }
    this.over = true
    this.forget()
    const { pass } = this
    this.pass = undefined
    if (pass === undefined) return
    // after a close frame the library holds what it has until the peer closes too
    if (isCut || !pass.wide) pass.end()
    else timers.after(closingMillisMax, pass.end)
  }

  closed(code: number, oversized = false): void {
    this.gone(code)
    this.context.log.ended(this.logged, code)
    if (this.daemon !== undefined) this.tell({ type: "closed", code, oversized })
  }

  /** A full mailbox means that the actor is stuck: it ends like a crash. */
  private tell(message: DaemonMessage): void {
    if (this.daemon?.tell(message) === false && !this.daemon.gone) this.daemon.kill()
  }

  /** The library keeps the room of the largest frame it had. */
  private weigh(bytes: number): void {
    this.weight = bytes > readBytesMax ? "heavy" : "light"
  }

  /** Its token has been looked up. */
  private answered(): void {
    this.admitting = undefined
    if (this.context.timers.monotonic() - this.askedAt > quickLookUpMillis) this.weight = "heavy"
  }

  private receiveFirst(text: string, bytes: number): void {
    if (this.over) return
    this.weigh(bytes)
    if (this.asked) return this.refuse({ reason: "auth_not_answered_yet", at: "" }, close.frameInvalid)
    if (bytes > authFrameBytesMax) return this.refuse({ reason: "frame_too_large", at: "" }, close.frameInvalid)
    this.asked = true
    const first = firstFrameOf(text, bytes)
    if (needsToken(first, this.pass !== undefined)) this.askFirst(first)
    else this.read(first)
  }

  /** Nothing large, or that costs much, is parsed before the token is found good, and its account can afford it. */
  private askFirst(first: FirstFrame): void {
    const token = this.pass?.token ?? tokenIn(first.text)
    if (token === undefined) return this.refuse({ reason: "member_missing", at: "token" }, close.frameInvalid)
    this.askedAt = this.context.timers.monotonic()
    this.admitting = this.context.declinedFor(token, first.isHeavy ? first.cost : 0, (exit) => {
      this.answered()
      if (this.over) return
      if (Exit.isFailure(exit)) this.refuse({ reason: "try_again" }, close.crashed)
      else if (exit.value === undefined) this.read(first)
      else this.decline(exit.value)
    })
  }

  private read(first: FirstFrame): void {
    const read = readFirst(first, this.pass?.token)
    if ("reason" in read) return this.refuse(read, close.frameInvalid)
    const { auth, token } = read
    this.askedAt = this.context.timers.monotonic()
    this.admitting = this.context.admit(token, auth.data, this.pass !== undefined, (exit) => {
      this.answered()
      if (this.over) return
      if (Exit.isFailure(exit)) this.refuse({ reason: "try_again" }, close.crashed)
      else if (typeof exit.value === "object" && "owner" in exit.value) this.accept(auth, exit.value, first)
      else this.decline(exit.value)
    })
  }

  private accept({ data: auth, misfits }: AuthFrame, admitted: Admitted, first: FirstFrame): void {
    const { owner, ice, claimed } = admitted
    const { epoch, told } = claimed
    const { supervisor, roster, timers, behaviour, shares } = this.context
    const now = timers.now()
    const snapshot = roster.claimedBy(owner.daemonId, epoch)
    if (snapshot === undefined) return this.end(roster.find(owner.daemonId) ? close.replaced : close.crashed)
    const shared = shares.join(snapshot)
    // what a heavy one costs is taken already
    takeAuth(shared.share, first.bytes, first.isHeavy ? 0 : first.cost, now)
    const state = newState({
      peer: this.peer,
      epoch,
      told,
      plan: owner.plan,
      named: namedCommands(auth.capabilities, auth.commands),
      tokenAt: owner.tokenAt,
      capabilities: capabilitiesOf(auth),
      snapshot,
      iceExpiresAt: ice.expiresAt,
      hasTurnServers: ice.turn,
      now,
      shared
    })
    const daemon = supervisor.spawn(behaviour, `${owner.daemonId}#${epoch}`, () => state)
    if (daemon === undefined) {
      shares.leave(owner.accountId, undefined, 0, shared.weight)
      return this.end(close.tooMany)
    }
    this.forget()
    this.daemon = daemon
    this.peer.belongsTo(owner.accountId)
    this.context.alive.add(state)
    const facts = { epoch, instanceId: auth.instanceId, version: auth.version }
    this.context.log.connected(this.logged, owner.daemonId, facts)
    // first of all frames: once the roster has the daemon, commands may be sent to it at once
    this.peer.send(authOk(owner, epoch, ice, now))
    roster.joined(snapshot, daemon)
    daemon.tell({ type: "accepted", now, misfits })
  }

  /** The hub ends before this one is authenticated: it comes back, to any node. */
  sendAway(): void {
    if (this.daemon === undefined) this.end(close.restarting)
  }

  /** Another takes its place. It is cut off, so that what the library holds of it is free at once. */
  evict(): void {
    if (this.over || this.daemon !== undefined) return
    this.over = true
    this.forget()
    this.peer.cut()
  }

  private decline(declined: Declined): void {
    if (declined === "unknown") this.refuse({ reason: "token_unknown", at: "token" }, close.tokenUnknown)
    else if (declined === "revoked") this.refuse({ reason: "token_revoked", at: "token" }, close.tokenRevoked)
    else if (typeof declined === "number") this.end(close.tooMany, JSON.stringify({ afterMs: declined }))
    else this.refuse({ reason: "account_disabled" }, disabledClose(declined.disabled))
  }

  private refuse(error: Refusal, rule: CloseRule): void {
    if (this.over) return
    this.logged.refusal = error.reason
    this.peer.send(encodeFrame({ type: "auth_error", data: error }))
    this.end(rule)
  }

  private end(rule: CloseRule, reason: string = rule.name): void {
    if (this.over) return
    this.over = true
    this.forget()
    const { unauthenticated, timers } = this.context
    const { pass, peer, weight } = this
    if (pass !== undefined || unauthenticated.mayCloseWithReason(peer.address, weight, timers.monotonic())) {
      peer.close(rule.code, reason)
    } else peer.cut()
  }

  /** It is authenticated or gone: nothing waits for its `auth` any more. */
  private forget(): void {
    this.authTimer?.clear()
    this.authTimer = undefined
    this.context.unauthenticated.delete(this)
    if (this.pass !== undefined && this.context.awaitingAuth.get(this.pass.token) === this) {
      this.context.awaitingAuth.delete(this.pass.token)
    }
    this.admitting?.interruptUnsafe()
    this.admitting = undefined
  }
}
