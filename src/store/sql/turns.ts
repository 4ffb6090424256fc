/**
 * Whose statements wait for whose. What one account's callers ask of the store at once waits for one another before it
 * waits for a connection, so that a crowd of one delays others by a few statements only. Owns those queues, and for
 * whom a fiber asks; statements of the hub's own (batches, upkeep) have no such turn.
 */
import { Context, Effect } from "effect"
import { ownStatementsShare, ownWaitersMax } from "../../limits/store.ts"

/** For which account a fiber asks ("" for strangers), or which work that may be much; undefined: for the hub itself. */
export const AskedFor = Context.Reference<string | undefined>("hub/AskedFor", { defaultValue: () => undefined })

interface Own {
  running: number
  readonly waiting: Set<() => void>
}

/** The turns at a pool of so many connections. */
export class Turns {
  readonly #atOnce: number
  readonly #byOwner = new Map<string, Own>()

  constructor(connections: number) {
    this.#atOnce = Math.max(1, Math.floor(connections * ownStatementsShare))
  }

  /** Waits for a turn of this owner, and gives its end, to be called once; undefined: too many of its own wait. */
  take(owner: string): Effect.Effect<(() => void) | undefined> {
    return Effect.callback((resume) => {
      const own = this.#byOwner.get(owner) ?? { running: 0, waiting: new Set() }
      if (own.waiting.size >= ownWaitersMax) return resume(Effect.succeed(undefined))
      const begin = (): void => {
        own.running++
        resume(Effect.succeed(() => this.#end(owner, own)))
      }
      this.#byOwner.set(owner, own)
      if (own.running < this.#atOnce) return begin()
      own.waiting.add(begin)
      return Effect.sync(() => own.waiting.delete(begin))
    })
  }

  /** Owners that ask. */
  get size(): number {
    return this.#byOwner.size
  }

  #end(owner: string, own: Own): void {
    own.running--
    const [next] = own.waiting
    if (next !== undefined) {
      own.waiting.delete(next)
      next()
    } else if (own.running === 0) this.#byOwner.delete(owner)
  }
}
