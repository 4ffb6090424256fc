/**
 * Which subscriber reads the store next: after a flood of events, or an outage, thousands wake at once. Owns that
 * order, in which accounts take turns, and how many read at a time. A subscriber waits with one read at most, so that
 * their number bounds it; none is refused.
 */
import { Effect } from "effect"
import { subscriberReadsMax } from "../../src/limits/delivery.ts"

const nothing = (): void => {}

/** The turns of a node's subscribers. */
export class ReadTurns {
  #reading = 0
  /** By account; whose turn is next stands first. */
  readonly #waiting = new Map<string, Set<() => void>>()

  /** Reads in a turn of this account. */
  within<A, E, R>(accountId: string, read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      let end = nothing
      // in the step that begins the turn: who waits may be interrupted before it goes on
      const begun = (): void => {
        this.#reading++
        end = () => this.#end()
      }
      return Effect.ensuring(
        Effect.andThen(this.#turn(accountId, begun), read),
        Effect.sync(() => end())
      )
    })
  }

  #turn(accountId: string, begun: () => void): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const begin = (): void => {
        begun()
        resume(Effect.void)
      }
      if (this.#reading < subscriberReadsMax) return begin()
      const own = this.#waiting.get(accountId) ?? new Set()
      this.#waiting.set(accountId, own.add(begin))
      return Effect.sync(() => {
        if (own.delete(begin) && own.size === 0) this.#waiting.delete(accountId)
      })
    })
  }

  #end(): void {
    this.#reading--
    for (const [accountId, own] of this.#waiting) {
      const [next] = own
      own.delete(next!)
      // behind the others
      this.#waiting.delete(accountId)
      if (own.size > 0) this.#waiting.set(accountId, own)
      return next!()
    }
  }
}
