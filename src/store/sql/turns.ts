/**
 * Whose statements wait for whose. What one account's callers ask of the store at once waits for one another before it
 * waits for a connection, so that a crowd of one delays others by a few statements only; accounts take turns, and all
 * together leave connections to statements of the hub's own (batches, upkeep), which have no such turn. Owns those
 * queues, and for whom a fiber asks.
 */
import { Context, Effect } from "effect"
import { hubStatementsShare, ownStatementsShare, ownWaitersMax } from "../../limits/store.ts"

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
  readonly #allAtOnce: number
  readonly #pool: PoolOfTurns
  /** Whose turn is next stands first. */
  readonly #byOwner = new Map<string, Own>()
  #running = 0

  constructor(pool: PoolOfTurns) {
    this.#pool = pool
    this.#atOnce = Math.max(1, Math.floor(pool.connections * ownStatementsShare))
    this.#allAtOnce = Math.max(1, pool.connections - Math.ceil(pool.connections * hubStatementsShare))
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
        this.#running++
        begun(() => this.#end(owner, own))
        resume(Effect.succeed(true))
      }
      this.#byOwner.set(owner, own)
      if (own.running < this.#atOnce && this.#running < this.#allAtOnce) return begin()
      const one = { since: this.#pool.now(), begin, refuse: () => resume(Effect.succeed(false)) }
      own.waiting.add(one)
      return Effect.sync(() => {
        if (own.waiting.delete(one)) this.#forget(owner, own)
      })
    })
  }

  /** Owners that ask. */
  get size(): number {
    return this.#byOwner.size
  }

  #end(owner: string, own: Own): void {
    own.running--
    this.#running--
    this.#forget(owner, own)
    this.#next()
  }

  #forget(owner: string, own: Own): void {
    if (own.running === 0 && own.waiting.size === 0 && this.#byOwner.get(owner) === own) this.#byOwner.delete(owner)
  }

  #next(): void {
    const earliest = this.#pool.now() - this.#pool.waitMax
    // who is served moves behind the others, and is met again
    for (const [owner, own] of this.#byOwner) {
      if (this.#running >= this.#allAtOnce) return
      const [next] = own.waiting
      if (next === undefined || own.running >= this.#atOnce) continue
      own.waiting.delete(next)
      this.#byOwner.delete(owner)
      this.#byOwner.set(owner, own)
      if (next.since >= earliest) next.begin()
      else {
        this.#forget(owner, own)
        next.refuse()
      }
    }
  }
}
