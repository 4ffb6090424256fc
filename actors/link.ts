/**
 * One socket: a stranger's first, then its daemon's. Owns the time before `auth_ok` (one frame, in time, small, well formed,
 * with a token that is good); everything after is the daemon actor's.
 */
import { Exit, type Fiber } from "effect"
import type { ToldStatus } from "../src/domain/agentchanges.ts"
import type { Picture } from "../src/domain/picture.ts"
import { authFrameBytesMax, authMillisMax } from "../src/limits.ts"
import type { IceSet } from "../src/outbound/ice.ts"
import { type CloseRule, close } from "../src/protocol/close.ts"
import { type DaemonFrame, decodeFrame, encodeFrame, protocolVersion } from "../src/protocol/codec.ts"
import type { TokenOwner } from "../src/store/daemons.ts"
import type { Behaviour } from "./actor.ts"
import { authOk, pictureOnArrival } from "./arrival.ts"
import type { Connection, Peer } from "./connection.ts"
import type { DaemonAction, DaemonMessage, DaemonState } from "./daemon/state.ts"
import { type Daemon, newState } from "./daemon.ts"
import type { Taken } from "./others.ts"
import type { Roster } from "./roster.ts"
import type { Strangers } from "./strangers.ts"
import type { Supervisor } from "./supervisor.ts"
import type { Timer, Wheel } from "./wheel.ts"

/** What a connection works with. */
export interface LinkSurroundings {
  readonly wheel: Wheel["Service"]
  readonly roster: Roster["Service"]
  readonly supervisor: Supervisor["Service"]
  readonly behaviour: Behaviour<DaemonState, DaemonMessage, DaemonAction>
  /** Looks a token up and makes its ICE servers; `then` is called once, unless the fiber is interrupted. */
  readonly admit: (
    token: string,
    then: (admitted: Exit.Exit<Admitted | "revoked" | undefined, unknown>) => void
  ) => Admitting
  /** Connections that have not authenticated. */
  readonly strangers: Strangers<Link>
  /** The states of those that have. */
  readonly alive: Set<DaemonState>
  /** Writes down that a daemon came. */
  readonly note: (what: Readonly<Record<string, unknown>>) => void
}

type AuthFrame = Extract<DaemonFrame, { type: "auth" }>

/** An admission under way. */
export type Admitting = Fiber.Fiber<unknown, unknown>

/** A token that is good, and what its daemon gets. */
export interface Admitted {
  readonly owner: TokenOwner
  readonly ice: IceSet
  /** The number of this connection. */
  readonly epoch: number
  /** What was told of its agents before. */
  readonly told: ToldStatus | undefined
  /** What the other nodes know of it, and its picture while it was there. */
  readonly word: Taken["word"]
  readonly before: Picture | undefined
}

/** One socket. */
export class Link implements Connection {
  private readonly around: LinkSurroundings
  private readonly peer: Peer
  private daemon: Daemon | undefined
  private late: Timer | undefined
  private admitting: Admitting | undefined
  private asked = false
  private over = false

  constructor(around: LinkSurroundings, peer: Peer) {
    this.around = around
    this.peer = peer
    this.late = around.wheel.after(authMillisMax, () => this.end(close.authLate))
    around.strangers.add(this, peer.address)
  }

  receive(text: string, bytes: number): void {
    if (this.daemon === undefined) this.receiveFirst(text, bytes)
    else this.tell({ tell: "frame", text, bytes, now: this.around.wheel.now() })
  }

  receiveBinary(): void {
    if (this.daemon === undefined) this.end(close.frameInvalid)
    else this.tell({ tell: "order", rule: close.frameInvalid, departure: "lost" })
  }

  heard(): void {
    if (this.daemon !== undefined) this.tell({ tell: "heard", now: this.around.wheel.now() })
  }

  drained(): void {}

  gone(): void {
    this.over = true
    this.forget()
  }

  closed(code: number): void {
    this.gone()
    if (this.daemon !== undefined) this.tell({ tell: "closed", code })
  }

  /** A full mailbox means that the actor is stuck: it ends like a crash. */
  private tell(message: DaemonMessage): void {
    if (this.daemon?.tell(message) === false && !this.daemon.gone) this.daemon.kill()
  }

  private receiveFirst(text: string, bytes: number): void {
    if (this.over) return
    if (this.asked || bytes > authFrameBytesMax) return this.end(close.frameInvalid)
    const frame = decodeFrame(text)
    if (frame.type === "broken" && frame.protocol !== undefined) {
      this.refuse("protocol_unsupported", close.frameInvalid, [protocolVersion])
    } else if (frame.type !== "auth") this.end(close.frameInvalid)
    else this.ask(frame)
  }

  private ask(auth: AuthFrame): void {
    const { token } = auth.data
    if (token === undefined) return this.end(close.frameInvalid)
    this.asked = true
    this.admitting = this.around.admit(token, (exit) => {
      this.admitting = undefined
      if (this.over) return
      if (Exit.isFailure(exit)) this.refuse("try_again", close.crashed)
      else if (exit.value === undefined) this.refuse("token_unknown", close.tokenUnknown)
      else if (exit.value === "revoked") this.refuse("token_revoked", close.tokenRevoked)
      else this.accept(auth, exit.value)
    })
  }

  private accept(frame: AuthFrame, admitted: Admitted): void {
    const { data: auth, misfits } = frame
    const { owner, ice, epoch, told, word, before: elsewhere } = admitted
    const { supervisor, roster, wheel, behaviour } = this.around
    const now = wheel.now()
    const here = roster.find(owner.daemonId)?.picture
    // what this node still holds may be older than what another has by now
    const before = elsewhere !== undefined && elsewhere.epoch > (here?.epoch ?? 0) ? elsewhere : here
    if (before !== undefined && before.epoch >= epoch) return this.end(close.replaced)
    const picture = pictureOnArrival(auth, owner, epoch, now, before)
    const { expiresAt: iceExpiresAt, turn } = ice
    const state = newState({ peer: this.peer, epoch, told, plan: owner.plan, picture, iceExpiresAt, turn, now })
    const daemon = supervisor.spawnDormant(behaviour, `${owner.daemonId}#${epoch}`, () => state)
    if (daemon === undefined) return this.end(close.tooMany)
    this.forget()
    this.daemon = daemon
    this.around.alive.add(state)
    const { instanceId, version } = auth
    this.around.note({ daemonId: owner.daemonId, epoch, instanceId, version, address: this.peer.address })
    // first of all frames: whoever learns of the daemon below may send to it at once
    this.peer.send(authOk(owner, epoch, ice, now))
    roster.joined(picture, daemon, word)
    daemon.tell({ tell: "accepted", now, misfits })
  }

  /** The hub ends before this one is known: it comes back, wherever. */
  sendAway(): void {
    if (this.daemon === undefined) this.end(close.restarting)
  }

  private refuse(reason: string, rule: CloseRule, supported?: ReadonlyArray<number>): void {
    const data = supported === undefined ? { reason } : { reason, supported }
    this.peer.send(encodeFrame({ type: "auth_error", data }))
    this.end(rule)
  }

  private end(rule: CloseRule): void {
    if (this.over) return
    this.over = true
    this.forget()
    this.peer.close(rule.code, rule.name)
  }

  /** No stranger any more: either known or gone. */
  private forget(): void {
    this.late?.clear()
    this.late = undefined
    this.around.strangers.delete(this)
    this.admitting?.interruptUnsafe()
    this.admitting = undefined
  }
}
