/**
 * The queue of password checks: who is next, and who is refused when it is full. An address with fewer recent checks
 * comes before one with more, so an attacker who keeps trying locks out no other; every other turn goes by its network
 * first, so that thousands of addresses of one that try once each do not either. Owns that order; checks nothing.
 */
import { passwordAddressesMax, passwordChecksMax, passwordSpanMillis, passwordWaitersMax } from "../limits.ts"

/** How many recent checks a waiter's address had, and its network. */
interface Recent {
  readonly ofAddress: number
  readonly ofNetwork: number
}

type Order = (one: Recent, other: Recent) => number
const byAddress: Order = (one, other) => one.ofAddress - other.ofAddress || one.ofNetwork - other.ofNetwork
const byNetwork: Order = (one, other) => one.ofNetwork - other.ofNetwork || one.ofAddress - other.ofAddress

/** The /16 of an IPv4 address, the /32 of an IPv6 one: of one provider or owner mostly. */
const networkOf = (address: string): string => `${address.split(/[.:]/u, 2).join(".")}/`

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
  /** In order of arrival. */
  readonly #waiting = new Map<Waiter, Recent>()
  readonly #running = new Set<Waiter>()
  /** Whose turn the next is. */
  #order = byAddress
  /** Checks per address and network in this period, and in the one before. */
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
    this.#forget()
    const [ofAddress, ofNetwork] = [this.#charge(one.address), this.#charge(networkOf(one.address))]
    this.#waiting.set(one, { ofAddress, ofNetwork })
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

  #forget(): void {
    const now = this.#now()
    if (now - this.#since >= passwordSpanMillis || this.#checks.size >= passwordAddressesMax) {
      this.#before = now - this.#since >= passwordSpanMillis * 2 ? new Map() : this.#checks
      this.#checks = new Map()
      this.#since = now
    }
  }

  /** Counts a check of this address or network, and gives the number of recent ones before it. */
  #charge(name: string): number {
    const own = this.#checks.get(name) ?? 0
    this.#checks.set(name, own + 1)
    return own + (this.#before.get(name) ?? 0)
  }

  #next(): void {
    let first: readonly [Waiter, Recent] | undefined
    for (const one of this.#waiting) if (first === undefined || this.#order(one[1], first[1]) < 0) first = one
    if (first === undefined) return
    this.#order = this.#order === byAddress ? byNetwork : byAddress
    this.#waiting.delete(first[0])
    this.#running.add(first[0])
    first[0].start()
  }

  /** The newest waiter of the address with most recent checks; of equal ones, of the network that had most. */
  #last(): Waiter {
    let last: readonly [Waiter, Recent] | undefined
    for (const one of this.#waiting) if (last === undefined || byAddress(one[1], last[1]) >= 0) last = one
    return last![0]
  }
}
