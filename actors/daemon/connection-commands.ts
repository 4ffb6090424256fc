/**
 * The commands of one connection whose results are kept in the store: those that outlive their call, and timed-out
 * calls whose results may still come. Owns their bounds; stores nothing.
 */
import { lateCommandsMax, startedCommandsMax } from "../../src/limits/commands.ts"

interface Started {
  readonly durable: boolean
  /** When its row ends by itself. */
  readonly until: number
}

const nothing: ReadonlyArray<string> = []

/** Those of a connection. Most daemons have none, and hold no table for them. */
export class ConnectionCommands {
  #started: Map<string, Started> | undefined
  #late: Set<string> | undefined

  /** `named`: durable commands that the daemon says it still has. */
  constructor(named: ReadonlyArray<string> = nothing) {
    if (named.length === 0) return
    this.#started = new Map(named.map((id) => [id, { durable: true, until: Number.POSITIVE_INFINITY }]))
  }

  /** Whether a result of this command is waited for. */
  has(id: string): boolean {
    return this.#started?.has(id) === true || this.#late?.has(id) === true
  }

  /** Those that were started and have no result yet. */
  started(): ReadonlySet<string> {
    return new Set(this.#started?.keys())
  }

  /** Whether a command runs that ends with the connection. */
  holdsConnection(): boolean {
    for (const { durable } of this.#started?.values() ?? []) if (!durable) return true
    return false
  }

  /** Adds one that is about to be sent; false when there are too many. */
  start(id: string, durable: boolean, until: number, now: number): boolean {
    this.#started ??= new Map()
    if (this.#started.size >= startedCommandsMax) {
      for (const [other, one] of this.#started) if (one.until < now) this.#started.delete(other)
    }
    if (this.#started.size >= startedCommandsMax) return false
    this.#started.set(id, { durable, until })
    return true
  }

  /** A call timed out; the oldest of too many is given up. */
  late(id: string): void {
    this.#late ??= new Set()
    if (this.#late.size >= lateCommandsMax) {
      for (const oldest of this.#late) {
        this.#late.delete(oldest)
        break
      }
    }
    this.#late.add(id)
  }

  /** Its result is kept, or it was never sent. */
  forget(id: string): void {
    this.#started?.delete(id)
    this.#late?.delete(id)
  }

  /** The connection is over: those whose results can never come, once. */
  end(): ReadonlyArray<string> {
    if (this.#started === undefined && this.#late === undefined) return nothing
    const lost = [...(this.#late ?? [])]
    for (const [id, { durable }] of this.#started ?? []) if (!durable) lost.push(id)
    this.#late = undefined
    this.#started = undefined
    return lost
  }
}
