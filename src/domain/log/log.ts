/** The log of a session or a command, as its daemon numbers it. Owns the shapes; reads nothing. */

/** Which log of a daemon. */
export interface LogName {
  readonly kind: "session" | "command"
  readonly id: string
}

/** A log as one text, unique within its daemon. */
export const keyOf = ({ kind, id }: LogName): string => `${kind} ${id}`

/** An event as its daemon sent it. */
export interface GivenEvent {
  readonly seq: number
  readonly type: string
  readonly timestamp: number
  readonly [name: string]: unknown
}

/** One event. Its object is passed on as it came. */
export class LogEvent {
  readonly seq: number
  readonly type: string
  /** A piece of a message, which the whole message repeats. */
  readonly isDelta: boolean
  readonly given: GivenEvent
  /** The text that readers are sent: made by the first, for all. */
  sent: string | undefined

  constructor(given: GivenEvent) {
    this.seq = given.seq
    this.type = given.type
    this.isDelta = given.type.endsWith("_delta")
    this.given = given
    this.sent = undefined
  }
}

/** Events of a log as they happen. */
export interface LogFrame {
  readonly log: LogName
  /** The numbering; null: there is no such log. */
  readonly logId: string | null
  readonly lastSeq: number
  readonly events: ReadonlyArray<LogEvent>
  /** Characters of the frame. */
  readonly chars: number
  /** What it costs to hold (src/domain/limits/cost.ts). */
  readonly cost: number
}

/** Events of a log as its daemon kept them. */
export interface LogPage {
  readonly logId: string
  /** The oldest that is kept. */
  readonly firstSeq: number
  readonly lastSeq: number
  readonly events: ReadonlyArray<LogEvent>
  readonly more: boolean
}

/** Why the hub ends a stream of a log. */
export const logEndReasons = [
  "slow_reader",
  "log_ended",
  "daemon_offline",
  "daemon_revoked",
  "unsupported",
  "overloaded"
] as const
export type LogEndReason = (typeof logEndReasons)[number]
