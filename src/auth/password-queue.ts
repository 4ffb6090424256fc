/**
 * The line before the password checks: who is next, and who is refused when it is full. An address that had fewer
 * checks of late comes before one that had more, so that many that try without end keep nobody out. Owns that order;
 * checks nothing.
 */
import { passwordAddressesMax, passwordChecksMax, passwordSpanMillis, passwordWaitersMax } from "../limits.ts"

/** One that wants a check. */
export interface Waiter {
  readonly address: string
  /** It is its turn. Called once, unless it is refused or leaves. */
  readonly start: () => void
  /** There is no room for it. Called once instead. */
  readonly refuse: () => void
}

/** The line. */
export class PasswordLine {
  readonly #now: () => number
  /** In the order they came, each with the checks that its address had. */
  readonly #waiting = new Map<Waiter, number>()
  readonly #running = new Set<Waiter>()
  /** Checks by address in this span, and in the one before. */
  #checks = new Map<string, number>()
  #before = new Map<string, number>()
  #since: number

  /** `now`: milliseconds that never go back. */
  constructor(now: () => number) {
    this.#now = now
    this.#since = now()
  }

  /** One more. It may start, or be refused, within the call; another may be refused for it. */
  enter(one: Waiter): void {
    const had = this.#charge(one.address)
    this.#waiting.set(one, had)
    if (this.#running.size < passwordChecksMax) return this.#next()
    if (this.#waiting.size <= passwordWaitersMax) return
    const last = this.#last()
    this.#waiting.delete(last)
    last.refuse()
  }

  /** It is done, or does not wait any more; again: nothing. */
  leave(one: Waiter): void {
    this.#waiting.delete(one)
    if (this.#running.delete(one)) this.#next()
  }

  /** How many its address had of late, without this one. */
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

  /** The newest of those whose address had most. */
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
