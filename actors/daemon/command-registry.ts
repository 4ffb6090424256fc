/**
 * The commands of one connection: those that a caller waits for, those whose callers left, and those whose results go
 * to rows of the store. Owns finding them and their bounds; sends and stores nothing. Mostly there are none or one that
 * wait, and never more than `pendingCommandsMax`, so that they are looked through; a Map allocates a table, of the old
 * generation, each time it is emptied and filled again.
 */
import type { Exit } from "effect"
import type { Answering, CommandAnswer } from "../../src/domain/command/command.ts"
import type { CommandTimeout, DaemonSocketLost, Overloaded } from "../../src/errors.ts"
import { lateCommandsMax, startedCommandsMax } from "../../src/limits/commands.ts"
import { abandonedCommandsMax } from "../../src/limits.ts"
import type { CommandType } from "../../src/protocol/frames.ts"
import type { Timer } from "../../src/runtime/timers.ts"

/** How a command ends without an answer. */
export type Unanswered = Overloaded | CommandTimeout | DaemonSocketLost

/** Called once: with the answer or the failure; of a command with a row, once its frame is on its way. */
export type Waiter = (outcome: Exit.Exit<CommandAnswer, Unanswered>) => void

/** The row that the result of a command goes to. */
export interface Row {
  /** The daemon keeps the command over its connections. */
  readonly durable: boolean
  /** When the row ends by itself, epoch milliseconds. */
  readonly until: number
}

/** A command to this connection. */
export interface Pending {
  readonly id: string
  readonly type: CommandType
  readonly waiter: Waiter
  /** The question of an agent that it answers. */
  readonly answering?: Answering | undefined
  /** Undefined: the waiter gets the result. */
  readonly row: Row | undefined
  /** Epoch milliseconds. */
  readonly acceptedAt: number
  timer: Timer | undefined
}

const none: ReadonlyArray<string> = []

/** Adds to a bounded set, out of which the oldest falls. */
const addBounded = (set: Set<string>, id: string, max: number): Set<string> => {
  if (set.size >= max) for (const oldest of set) if (set.delete(oldest)) break
  return set.add(id)
}

/** Those of a connection. Who adds one that waits keeps to the bound. */
export class CommandRegistry {
  #waiting: Array<Pending> = []
  #abandoned: Set<string> | undefined
  #rows: Map<string, Row> | undefined
  #late: Set<string> | undefined

  /** `named`: durable commands that the daemon says it still has. */
  constructor(named: ReadonlyArray<string> = none) {
    if (named.length === 0) return
    this.#rows = new Map(named.map((id) => [id, { durable: true, until: Number.POSITIVE_INFINITY }]))
  }

  /** How many callers wait. */
  get size(): number {
    return this.#waiting.length
  }

  /** Whether a command may still run that ends with the connection; a row ends by itself when its time is over. */
  holdsConnection(now: number): boolean {
    if (this.#waiting.length > 0) return true
    for (const { durable, until } of this.#rows?.values() ?? []) if (!durable && until >= now) return true
    return false
  }

  /** Adds one whose caller waits. */
  add(pending: Pending): void {
    this.#waiting.push(pending)
  }

  /** Adds one that has a row and is about to be sent; false when there are too many. */
  addRow(id: string, row: Row, now: number): boolean {
    this.#rows ??= new Map()
    if (this.#rows.size >= startedCommandsMax) {
      for (const [other, { until }] of this.#rows) if (until < now) this.#rows.delete(other)
    }
    if (this.#rows.size >= startedCommandsMax) return false
    this.#rows.set(id, row)
    return true
  }

  /** Whether a caller waits for it. */
  has(id: string): boolean {
    return this.#at(id) >= 0
  }

  /** Whether a row waits for its result. */
  hasRow(id: string): boolean {
    return this.#rows?.has(id) === true || this.#late?.has(id) === true
  }

  /** Whether it has a row, and the daemon keeps its result until that is recorded. */
  isDurable(id: string): boolean {
    return this.#rows?.get(id)?.durable === true
  }

  /** Whether the result of this command is one that the daemon was asked for. */
  expects(id: string): boolean {
    return this.has(id) || this.#abandoned?.has(id) === true || this.hasRow(id)
  }

  /** Takes one out, if its caller waits. */
  take(id: string): Pending | undefined {
    const at = this.#at(id)
    if (at < 0) return undefined
    const waiting = this.#waiting
    if (at === waiting.length - 1) return waiting.pop()
    return waiting.splice(at, 1)[0]
  }

  /** Takes the oldest out, if any waits. */
  takeOldest(): Pending | undefined {
    return this.#waiting.shift()
  }

  /** Its caller waits no more; the result may still come, and costs the daemon nothing. */
  abandon(id: string): void {
    this.#abandoned = addBounded(this.#abandoned ?? new Set(), id, abandonedCommandsMax)
  }

  /** Whether its caller left; asked once. */
  takeAbandoned(id: string): boolean {
    return this.#abandoned?.delete(id) === true
  }

  /** A call timed out, whose late result goes to a row. */
  late(id: string): void {
    this.#late = addBounded(this.#late ?? new Set(), id, lateCommandsMax)
  }

  /** Its row has its result, or it was never sent. */
  forgetRow(id: string): void {
    this.#rows?.delete(id)
    this.#late?.delete(id)
  }

  /** Those that have a row, but for timed-out calls. */
  withRows(): ReadonlySet<string> {
    return new Set(this.#rows?.keys())
  }

  /** The connection is over: those with a row whose results can never come, once. */
  takeLost(): ReadonlyArray<string> {
    if (this.#rows === undefined && this.#late === undefined) return none
    const lost = [...(this.#late ?? [])]
    for (const [id, { durable }] of this.#rows ?? []) if (!durable) lost.push(id)
    this.#late = undefined
    this.#rows = undefined
    return lost
  }

  #at(id: string): number {
    const waiting = this.#waiting
    for (let at = 0; at < waiting.length; at++) if (waiting[at]!.id === id) return at
    return -1
  }
}
