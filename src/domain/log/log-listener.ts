/** The port between the source of a daemon's logs and a listener to one. Owns the shapes; does nothing. */
import type { LogFrame, LogName } from "./log.ts"

/** Which log is asked for. */
export interface LogAsked {
  readonly accountId: string
  readonly daemonId: string
  readonly log: LogName
  /** With the pieces of messages. */
  readonly deltas: boolean
}

/** Why a log is not sent: its daemon lacks the feature, or sends too many logs already. */
export type LogRefusal = "unsupported" | "full"

/** A listener. All synchronous; none throws. */
export interface LogListener {
  readonly hear: (frame: LogFrame) => void
  /** Frames were lost on the way: what is missing is to be read. */
  readonly doubt: () => void
  /** It is not sent, and nothing further is said. */
  readonly refused: (why: LogRefusal) => void
  /** The connection is over, and nothing further is said. */
  readonly gone: () => void
}

/** A log that is listened to. */
export interface LogSubscription {
  /** From now on with the pieces of messages, or without. */
  readonly want: (deltas: boolean) => void
  readonly close: () => void
}

/** Listens to a log. Undefined: its daemon is not here. */
export type SubscribeLog = (asked: LogAsked, listener: LogListener) => LogSubscription | undefined

/** What is asked of a connection's logs. */
export type LogMessage =
  | { readonly ask: "subscribe" | "want"; readonly log: LogName; readonly deltas: boolean; readonly by: LogListener }
  | { readonly ask: "unsubscribe"; readonly log: LogName; readonly by: LogListener }

/** What those who listen are told. */
export type LogTelling =
  | { readonly to: Iterable<LogListener>; readonly frame: LogFrame }
  | { readonly to: Iterable<LogListener>; readonly doubt: true }
  | { readonly to: Iterable<LogListener>; readonly refused: LogRefusal }
