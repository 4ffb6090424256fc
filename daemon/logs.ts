/**
 * The logs of one daemon: of its sessions and its terminal commands. Owns which there are and how long one is kept
 * after its end; event-log.ts owns each of them.
 */
import type { Clock } from "./clock.ts"
import { EventLog } from "./event-log.ts"
import { endedLogMillisMax, endedLogsMax, logAnswerBytesMax, logFrameEventsMax } from "./limits.ts"
import type { LogEvent } from "./log-event.ts"
import { Refusal } from "./refusal.ts"
import { type LogName, readLogName } from "./wire.ts"

/** The name of a log as one text. */
export const keyOf = ({ kind, id }: LogName): string => `${kind}:${id}`

/** What is answered to `read_log`. */
export interface LogAnswer {
  readonly logId: string
  readonly firstSeq: number
  readonly lastSeq: number
  readonly events: ReadonlyArray<LogEvent>
  readonly more: boolean
}

const whole = (value: unknown, least: number): value is number => Number.isSafeInteger(value) && Number(value) >= least

/** Logs by their names. */
export class Logs {
  readonly #clock: Clock
  readonly #touched: (name: LogName) => void
  readonly #logs = new Map<string, EventLog>()
  /** When each of those that have ended did, oldest first. */
  readonly #ended = new Map<string, { readonly name: LogName; readonly at: number }>()

  /** `touched` hears of each log in which something happened, or that is gone. */
  constructor(clock: Clock, touched: (name: LogName) => void) {
    this.#clock = clock
    this.#touched = touched
  }

  /** Begins a log. */
  open(name: LogName): EventLog {
    this.#prune()
    const log = new EventLog(() => this.#touched(name))
    this.#logs.set(keyOf(name), log)
    return log
  }

  /** Nothing more happens there: the log is kept for a while. */
  end(name: LogName): void {
    const key = keyOf(name)
    if (this.#logs.has(key) && !this.#ended.has(key)) this.#ended.set(key, { name, at: this.#clock.steady() })
    this.#prune()
  }

  /** It is of no use: nothing came of what it was begun for. */
  forget(name: LogName): void {
    if (this.#logs.delete(keyOf(name))) this.#touched(name)
  }

  #prune(): void {
    const now = this.#clock.steady()
    for (const [key, { name, at }] of this.#ended) {
      if (this.#ended.size <= endedLogsMax && now - at < endedLogMillisMax) return
      this.#ended.delete(key)
      this.#logs.delete(key)
      this.#touched(name)
    }
  }

  /** A log; undefined when there is none of that name, or no more. */
  find(name: LogName): EventLog | undefined {
    this.#prune()
    return this.#logs.get(keyOf(name))
  }

  /** The answer to `read_log`: `{log, after?: {logId, seq}, limit?, deltas?}`. */
  read(payload: Readonly<Record<string, unknown>>): LogAnswer {
    const name = readLogName(payload["log"])
    if (name === undefined) throw new Refusal("invalid_payload", "`log` must be `{kind, id}`")
    const log = this.find(name)
    if (log === undefined) throw new Refusal("log_not_found", `there is no log of the ${name.kind} ${name.id} here`)
    const after = payload["after"] as { readonly logId?: unknown; readonly seq?: unknown } | undefined
    const isSame = after?.logId === log.logId && whole(after.seq, 0)
    const { events, more } = log.read({
      after: isSame ? Number(after.seq) : 0,
      limit: whole(payload["limit"], 1) ? payload["limit"] : logFrameEventsMax,
      bytes: logAnswerBytesMax,
      deltas: payload["deltas"] !== false
    })
    return { logId: log.logId, firstSeq: log.firstSeq, lastSeq: log.lastSeq, events, more }
  }
}
