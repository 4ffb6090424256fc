/**
 * Whose statements wait for whose. What one account's callers ask of the store at once waits for one another before it
 * waits for a connection, so that a crowd of one delays others by a few statements only. Owns those queues, and for
 * whom a fiber asks; statements of the hub's own (batches, upkeep) have no such turn.
 */
import { Context, Effect } from "effect"
import { ownStatementsShare, ownWaitersMax } from "../../limits/store.ts"

/** For which account a fiber asks ("" for strangers), or which work that may be much; undefined: for the hub itself. */
export const AskedFor = Context.Reference<string | undefined>("hub/AskedFor", { defaultValue: () => undefined })

interface Waiting {
  readonly since: number
  readonly begin: () => void
  readonly refuse: () => void
}

interface Own {
  running: number
  readonly waiting: Set<Waiting>
}

/** The pool whose turns they are: who waited longer than it lets a caller wait is refused as its turn comes. */
interface PoolOfTurns {
  readonly connections: number
  /** In milliseconds. */
  readonly waitMax: number
  /** Monotonic, in milliseconds. */
  readonly now: () => number
}

/** The turns at a pool. */
export class Turns {
  readonly #atOnce: number
  readonly #pool: PoolOfTurns
  readonly #byOwner = new Map<string, Own>()

  constructor(pool: PoolOfTurns) {
    this.#pool = pool
    this.#atOnce = Math.max(1, Math.floor(pool.connections * ownStatementsShare))
  }

  /**
   * Waits for a turn of this owner; false: too many of its own wait, or it has waited too long. `begun` is given the
   * end of a turn, to be called once, in the step that begins it: who waits may be interrupted before it goes on.
   */
  take(owner: string, begun: (end: () => void) => void): Effect.Effect<boolean> {
    return Effect.callback((resume) => {
      const own = this.#byOwner.get(owner) ?? { running: 0, waiting: new Set() }
      if (own.waiting.size >= ownWaitersMax) return resume(Effect.succeed(false))
      const begin = (): void => {
        own.running++
        begun(() => this.#end(owner, own))
        resume(Effect.succeed(true))
      }
      this.#byOwner.set(owner, own)
      if (own.running < this.#atOnce) return begin()
      const one = { since: this.#pool.now(), begin, refuse: () => resume(Effect.succeed(false)) }
      own.waiting.add(one)
      return Effect.sync(() => own.waiting.delete(one))
    })
  }

  /** Owners that ask. */
  get size(): number {
    return this.#byOwner.size
  }

  #end(owner: string, own: Own): void {
    own.running--
    const earliest = this.#pool.now() - this.#pool.waitMax
    for (const next of own.waiting) {
      // also one that was refused, and asked again at once
      if (own.running >= this.#atOnce) return
      own.waiting.delete(next)
      if (next.since >= earliest) next.begin()
      else next.refuse()
    }
    if (own.running === 0) this.#byOwner.delete(owner)
  }
}
