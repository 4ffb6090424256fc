/**
 * The queue of password checks: who is next, and who is refused when it is full. An address with fewer recent checks
 * comes before one with more, so an attacker who keeps trying locks out no other. Owns that order; checks nothing.
 */
import { passwordAddressesMax, passwordChecksMax, passwordSpanMillis, passwordWaitersMax } from "../limits.ts"

/** One caller that waits for a check. */
export interface Waiter {
  readonly address: string
  /** Called once when its check may start, unless it is refused or leaves. */
  readonly start: () => void
  /** Called once instead when there is no room. */
  readonly refuse: () => void
}

export class PasswordQueue {
  readonly #now: () => number
  /** In order of arrival, each with the recent checks of its address. */
  readonly #waiting = new Map<Waiter, number>()
  readonly #running = new Set<Waiter>()
  /** Checks per address in this period, and in the one before. */
  #checks = new Map<string, number>()
  #before = new Map<string, number>()
  #since: number

  /** `now`: monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now
    this.#since = now()
  }

  /** Adds a waiter. It may be started or refused within the call, or another may be refused in its place. */
  enter(one: Waiter): void {
    const had = this.#charge(one.address)
    this.#waiting.set(one, had)
    if (this.#running.size < passwordChecksMax) return this.#next()
    if (this.#waiting.size <= passwordWaitersMax) return
    const last = this.#last()
    this.#waiting.delete(last)
    last.refuse()
  }

  /** The waiter is done or stopped waiting. A second call does nothing. */
  leave(one: Waiter): void {
    this.#waiting.delete(one)
    if (this.#running.delete(one)) this.#next()
  }

  /** Counts a check of this address, and gives the number of recent ones before it. */
  #charge(address: string): number {
    const now = this.#now()
    if (now - this.#since >= passwordSpanMillis || this.#checks.size >= passwordAddressesMax) {
      this.#before = now - this.#since >= passwordSpanMillis * 2 ? new Map() : this.#checks
      this.#checks = new Map()
      this.#since = now
    }
    const own = this.#checks.get(address) ?? 0
    this.#checks.set(address, own + 1)
    return own + (this.#before.get(address) ?? 0)
  }

  #next(): void {
    let first: Waiter | undefined
    let least = Number.POSITIVE_INFINITY
    for (const [one, had] of this.#waiting) {
      if (had >= least) continue
      first = one
      least = had
    }
    if (first === undefined) return
    this.#waiting.delete(first)
    this.#running.add(first)
    first.start()
  }

  /** The newest waiter of the address with most recent checks. */
  #last(): Waiter {
    let last: Waiter | undefined
    let most = -1
    for (const [one, had] of this.#waiting) {
      if (had < most) continue
      last = one
      most = had
    }
    return last!
  }
}
