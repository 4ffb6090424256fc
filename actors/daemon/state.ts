/**
 * What a daemon actor knows, is told and does, as plain types. Owns the shapes; decides nothing (decide.ts) and touches
 * nothing (perform.ts).
 */

import type { Plan } from "../../src/domain/account/plans.ts"
import type { CommandAnswer } from "../../src/domain/command/command.ts"
import type { ToldStatus } from "../../src/domain/daemon/agent-status.ts"
import type { SessionMemory } from "../../src/domain/daemon/session-memory.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { EventSession } from "../../src/domain/event/session-of-event.ts"
import type { LogMessage, LogTelling } from "../../src/domain/log/log-listener.ts"
import type { IceSet } from "../../src/outbound/ice.ts"
import type { CloseRule } from "../../src/protocol/close.ts"
import type { StatusEvent } from "../../src/protocol/frames.ts"
import type { LargeFrame } from "../../src/protocol/large-frame.ts"
import type { SchemaViolation } from "../../src/protocol/tolerant.ts"
import type { Timer } from "../../src/runtime/timers.ts"
import type { Former } from "../events/agent-status-notifier.ts"
import type { ApprovalChange } from "../events/approval-events.ts"
import type { Actor } from "../runtime/actor.ts"
import type { AccountShare } from "./account-share.ts"
import type { CommandRegistry, Pending, Unanswered } from "./command-registry.ts"
import type { Budget } from "./frame-budget.ts"
import type { LogSubscriptions } from "./log-subscriptions.ts"
import type { PromptAnswers } from "./prompt-answers.ts"
import type { Peer } from "./socket-port.ts"

/** How a connection ended, as far as being online is concerned. */
export type Departure = "clean" | "lost" | "ordered" | "moving"

/** How a connection ended. */
export interface ConnectionEnd {
  readonly how: Departure
  /** The code that its socket closed with, or is about to. */
  readonly code: number
  /** When it last gave a sign of life, epoch milliseconds. */
  readonly heardAt: number
}

/** Where a daemon tells its snapshots and its end; presence/roster.ts is it. */
export interface DaemonRoster {
  /** It has another snapshot. `changed`: what is stored of it is out of date. */
  readonly reported: (snapshot: Snapshot, changed: boolean) => void
  readonly left: (daemonId: string, epoch: number, end: ConnectionEnd) => void
}

/** What the actor knows. Changed in place by its own turns only. */
export interface DaemonState {
  readonly peer: Peer
  readonly epoch: number
  readonly plan: Plan
  /** What of the optional parts of the protocol it knows. */
  readonly capabilities: ReadonlySet<string>
  /** When its token was made. */
  readonly tokenAt: number
  /** What was told of its agents before this connection, as far as the store knows. */
  readonly told: ToldStatus | undefined
  snapshot: Snapshot
  /** Digest of the last report; empty before the first. */
  reportDigest: string
  /** What did not fit of its frames; undefined as long as all of it does. */
  problems: Problems | undefined
  /** Of its sessions, beyond the last report. */
  memory: SessionMemory
  readonly commands: CommandRegistry
  readonly budget: Budget
  /** What the daemons of its account may do together: one object for all of them. */
  readonly share: AccountShare
  /** The report that waits for its turn. */
  held: GivenReport | undefined
  /** What the report that is kept weighs. */
  weight: number
  /**
   * When the socket last gave a sign of life, pongs included. The silence rule is the socket's
   * (http/native/daemon-socket.ts).
   */
  heardAt: number
  /** Whether it has shown since `auth_ok` that it holds this connection. */
  isConfirmed: boolean
  /** Events committed and not yet acknowledged. */
  acks: Array<string>
  /** Who answered which question of its agents; undefined: none did. */
  answers: PromptAnswers | undefined
  /** The logs that somebody listens to. */
  logs: LogSubscriptions | undefined
  /** The version of the policies that it was sent last on this connection. */
  policyVersion: string | undefined
  iceExpiresAt: number
  /** Whether its last set had TURN. */
  hasTurnServers: boolean
  /**
   * `told`: sent `reconnect`, so that its end, however it comes, is no goodbye. `due`: it goes once no command waits.
   */
  leaving: "told" | "due" | undefined
  /** Set once the connection is over: from then on nothing it sends counts. */
  over: boolean
}

/** A large frame whose beginning did not say what it is. */
export type LookedAt =
  | Exclude<LargeFrame, { readonly is: "other" | "result" }>
  | { readonly is: "other"; readonly bytes: Uint8Array }

/** What the actor is told. `now` is epoch milliseconds. */
export type DaemonMessage =
  /** `auth_ok` is on its way. `misfits`: what did not fit of the `auth`. */
  | { readonly type: "accepted"; readonly now: number; readonly misfits?: ReadonlyArray<SchemaViolation> | undefined }
  /** A ping of the daemon, or a pong with its payload. */
  | { readonly type: "heard"; readonly now: number; readonly pong: string | undefined }
  | { readonly type: "frame"; readonly text: string; readonly bytes: number; readonly now: number }
  /** A large frame, which is not read yet. Its bytes are the actor's. */
  | { readonly type: "large"; readonly bytes: Uint8Array; readonly now: number }
  /** What a large frame turned out to be; undefined: nobody could read it. */
  | { readonly type: "looked"; readonly read: LookedAt | undefined; readonly bytes: number; readonly now: number }
  /** Its report that waits has its turn, which is paid for. */
  | { readonly type: "reportDue"; readonly now: number }
  /** A frame larger than any may be; its two ends. */
  | { readonly type: "oversized"; readonly edges: string; readonly now: number }
  /** Send this. The row of one that has one is committed. `millis`: how long its caller waits. */
  | { readonly type: "command"; readonly pending: Pending; readonly text: string; readonly millis: number }
  /** The caller of a command left. */
  | { readonly type: "abandon"; readonly id: string }
  /** The deadline of a call passed. */
  | { readonly type: "expire"; readonly id: string }
  /** Its account wants the end of a command. */
  | { readonly type: "cancel"; readonly id: string }
  /** The row of a command has its result, or does not want one any more. */
  | { readonly type: "recorded"; readonly id: string }
  | { readonly type: "log"; readonly asked: LogMessage; readonly now: number }
  /** The socket dropped a frame. */
  | { readonly type: "undelivered" }
  | { readonly type: "ack"; readonly id: string }
  | { readonly type: "flush" }
  /** Its ICE servers end soon. */
  | { readonly type: "iceDue" }
  | { readonly type: "ice"; readonly set: IceSet; readonly now: number }
  /** This node drains: come back, wherever, after so long. */
  | { readonly type: "reconnect"; readonly afterMs: number }
  /** It is to update itself, if it can; the frame. */
  | { readonly type: "update"; readonly text: string }
  /** The policies that mean it; the frame. */
  | { readonly type: "policy"; readonly version: string; readonly text: string }
  /** Its slot is over and it is still here. */
  | { readonly type: "slotOver"; readonly now: number }
  /** A newer token is in use. */
  | { readonly type: "superseded"; readonly tokenAt: number }
  | { readonly type: "order"; readonly rule: CloseRule; readonly departure: Departure }
  /** `oversized`: by a frame that was larger than the socket takes. */
  | { readonly type: "closed"; readonly code: number; readonly oversized: boolean }

/** What is done about commands. */
export type CommandAction =
  /** Sends a command and sees to its deadline; without room it is refused, as if it had never been accepted. */
  | { readonly do: "command"; readonly text: string; readonly pending: Pending; readonly millis: number }
  | { readonly do: "settle"; readonly pending: Pending; readonly answer: CommandAnswer }
  | { readonly do: "fail"; readonly pending: Pending; readonly failure: Unanswered }
  | { readonly do: "unwatch"; readonly timer: Timer | undefined }
  /** Has a large result read off the loop; who waits for it gets what comes of that. */
  | { readonly do: "check"; readonly pending: Pending; readonly bytes: Uint8Array; readonly durationMs: number }
  /** Writes a result to the row of its command. */
  | { readonly do: "record"; readonly answer: CommandAnswer }
  /** Has a large result read off the loop, then recorded. `durable`: its daemon keeps it until then. */
  | { readonly do: "read"; readonly id: string; readonly bytes: Uint8Array; readonly durable: boolean }
  /** Makes a row for a timed-out call, then tells its caller. */
  | { readonly do: "timeOut"; readonly pending: Pending }
  /** Ends the rows of earlier connections that this one knows nothing of. */
  | { readonly do: "reconcile" }
  /** Everyone who waits gets DaemonSocketLost. */
  | { readonly do: "failAll" }

/** What is done about a message. */
export type DaemonAction =
  | CommandAction
  | { readonly do: "send"; readonly text: string }
  | { readonly do: "ping"; readonly payload: string }
  /** Its report waits for its turn, or does no more. */
  | { readonly do: "await"; readonly bytes: number }
  | { readonly do: "awaitNoMore" }
  /** Has a large frame read off the loop to see what it is. */
  | { readonly do: "look"; readonly bytes: Uint8Array }
  | {
      readonly do: "report"
      readonly after: Snapshot
      /** At the first report. */
      readonly former?: Former | undefined
      readonly changed: boolean
    }
  | { readonly do: "event"; readonly event: StatusEvent; readonly session: EventSession }
  /** Questions of its agents began or ended. */
  | { readonly do: "approvals"; readonly after: Snapshot; readonly change: ApprovalChange }
  /** It decided questions by a policy. */
  | { readonly do: "decided"; readonly event: StatusEvent }
  | { readonly do: "ignore"; readonly why: Ignored }
  /** It did not get a release to run. */
  | { readonly do: "updateFailed"; readonly sha256: string; readonly reason: string }
  /** Counts what did not fit, and logs what is new of it. */
  | {
      readonly do: "misfits"
      readonly misfits: ReadonlyArray<SchemaViolation>
      readonly fresh: ReadonlyArray<SchemaViolation>
    }
  /** The snapshot has other problems, and nothing else that is new. */
  | { readonly do: "show"; readonly snapshot: Snapshot }
  | { readonly do: "logs"; readonly telling: LogTelling }
  | { readonly do: "flushSoon" }
  | { readonly do: "renewIce" }
  | { readonly do: "iceLater"; readonly millis: number }
  | { readonly do: "close"; readonly rule: CloseRule }
  | { readonly do: "depart"; readonly departure: Departure; readonly code: number }
  | { readonly do: "leave" }

/** Why a frame counted for nothing. */
export type Ignored = "unknown type" | "misfit" | "event" | "second result" | "late result"

export type Daemon = Actor<DaemonMessage>

/** What is kept of one connection. */
export interface Problems {
  /** Of the newest report. */
  report: ReadonlyArray<SchemaViolation>
  /** Why a newer report than that was not read or kept; undefined: it was, or there is none. */
  unread: SchemaViolation | undefined
  /** Of every other frame. */
  readonly others: Array<SchemaViolation>
  /** What the log has. */
  readonly logged: Set<string>
}

/** A report as it came: a large one as its bytes. */
export interface GivenReport {
  readonly given: string | Uint8Array
  readonly bytes: number
}
