/**
 * The commands that wait for one daemon, oldest first. Owns finding them: mostly there are none or one, and never more
 * than `pendingCommandsMax`, so that they are looked through; a Map allocates a table, of the old generation, each time
 * it is emptied and filled again.
 */
import type { Exit } from "effect"
import type { CommandAnswer } from "../../src/domain/command/command.ts"
import type { CommandTimeout, DaemonSocketLost, Overloaded } from "../../src/errors.ts"
import type { CommandType } from "../../src/protocol/frames.ts"
import type { Timer } from "../../src/runtime/timers.ts"

/** A command whose frame was handed to the socket. */
export interface Pending {
  readonly id: string
  readonly type: CommandType
  readonly waiter: Waiter
  readonly acceptedAt: number
  timer: Timer | undefined
}

/** Those that wait. Who adds one keeps to the bound. */
export class PendingCommands {
  #waiting: Array<Pending> = []

  get size(): number {
    return this.#waiting.length
  }

  add(pending: Pending): void {
    this.#waiting.push(pending)
  }

  has(id: string): boolean {
    return this.#at(id) >= 0
  }

  /** Takes one out, if it waits. */
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

  #at(id: string): number {
    const waiting = this.#waiting
    for (let at = 0; at < waiting.length; at++) if (waiting[at]!.id === id) return at
    return -1
  }
}

/** How a command ends without an answer. */
export type Unanswered = Overloaded | CommandTimeout | DaemonSocketLost

/** Who waits for a command: called once, with its answer or its failure. */
export type Waiter = (outcome: Exit.Exit<CommandAnswer, Unanswered>) => void
