/** A command to a daemon, its result, and its failures. Owns the shapes; sends nothing. */
import type {
  CommandTimeout,
  DaemonOffline,
  DaemonSocketLost,
  NotFound,
  Overloaded,
  PayloadTooLarge,
  StoreFailed
} from "../../errors.ts"
import type { CommandType } from "../../protocol/frames.ts"
import type { Answerer } from "../approval/answered.ts"

/** One command to one daemon. Never sent twice. */
export interface Command {
  readonly accountId: string
  readonly daemonId: string
  readonly type: CommandType
  readonly payload: unknown
  /** The payload as JSON, instead: it is not written anew for each of many commands, or parsed on another node. */
  readonly payloadText?: string
  readonly targetSessionId?: string
  /** How long to wait from now; the setting's command timeout (60 s) when absent, and never longer. */
  readonly deadlineMs?: number
  /** How long its caller gives it, said in its frame; the wait is longer, for what the daemon says at its end. */
  readonly allowedMs?: number
  /** The trace that it belongs to, as tracing/trace-context.ts reads it; absent where none is kept. */
  readonly trace?: string
  /** It answers a question of an agent. Absent too where a node of an earlier version sent it. */
  readonly answering?: Answering
  /** It outlives the call: the answer only says that the daemon was sent it. */
  readonly start?: Start
}

/** Which question a command answers. */
export interface Answering {
  /** Undefined: the daemon picks the session. */
  readonly sessionId: string | undefined
  /** Undefined: whichever waits. */
  readonly promptId: string | undefined
  readonly by: Answerer
  readonly decision: string
}

/** A command that outlives its call. */
export interface Start {
  readonly commandId: string
  /** When it was asked for. */
  readonly createdAt: number
  /** How long it may take from then. */
  readonly deadlineMs: number
  /** What is kept of what it runs; absent: nothing. */
  readonly said?: string
}

// what only reads what a daemon shows
const reads: ReadonlySet<CommandType> = new Set(["read_chat", "read_log"])

/** Whether a command of this type is in the audit log. */
export const isAudited = (type: CommandType): boolean => !reads.has(type)

/** What a daemon answered. `success: false` is a refusal of the daemon, not a fault of the hub. */
export interface CommandAnswer {
  readonly commandId: string
  readonly success: boolean
  readonly result?: unknown
  readonly error?: string
  readonly code?: string
  /** From acceptance to the answer. */
  readonly durationMs: number
}

/** The result of an attempt that sent nothing, because the daemon is moving between nodes. */
export const moving = "moving"
/** The type of `moving`. */
export type Moving = typeof moving

/** How a command can fail. */
export type CommandFailure =
  | NotFound
  | DaemonOffline
  | DaemonSocketLost
  | Overloaded
  | CommandTimeout
  | PayloadTooLarge
  | StoreFailed
