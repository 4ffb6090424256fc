/**
 * How many connections each address has to a port of this machine, as the system tells: the HTTP library says that a
 * connection ended, but not whose it was. Owns the looks, one at a time and only while somebody asks.
 */
import { peersLookMillis } from "../../src/limits/edge.ts"

/** Counts of connections by address; undefined where the system does not tell. */
export type Look = () => Promise<ReadonlyMap<string, number> | undefined>

const more = (counts: Map<string, number>, address: string): void => {
  counts.set(address, (counts.get(address) ?? 0) + 1)
}

/**
 * Of all connections to the port those of this process, by address: workers that share a port have the same share of
 * each address, as the system deals them out evenly and does not tell whose each is.
 */
const shareOf = (seen: ReadonlyMap<string, number>, held: number): ReadonlyMap<string, number> => {
  let all = 0
  for (const connections of seen.values()) all += connections
  if (all <= held) return seen
  return new Map([...seen].map(([address, connections]) => [address, Math.round((connections * held) / all)]))
}

/** The peers of a server. */
export class Peers {
  readonly #look: Look
  readonly #now: () => number
  readonly #held: () => number
  /** Undefined where the system does not tell; nothing before the first look is over. */
  #seen: ReadonlyMap<string, number> | undefined = new Map()
  /** Those that came since the last look that is over began. */
  #since = new Map<string, number>()
  /** Those that came since the look under way began. */
  #during: Map<string, number> | undefined
  #lookedAt = Number.NEGATIVE_INFINITY

  /** `now`: milliseconds that never go back. `held`: the connections of this process. */
  constructor(look: Look, now: () => number, held: () => number) {
    this.#look = look
    this.#now = now
    this.#held = held
  }

  /** Notes a connection from this address: it has at most as many as is said, with that; 0 where nothing is known. */
  from(address: string): number {
    const now = this.#now()
    if (this.#during === undefined && now - this.#lookedAt >= peersLookMillis) this.#begin(now)
    more(this.#since, address)
    if (this.#during !== undefined) more(this.#during, address)
    if (this.#seen === undefined) return 0
    return (this.#seen.get(address) ?? 0) + this.#since.get(address)!
  }

  #begin(now: number): void {
    this.#lookedAt = now
    this.#during = new Map()
    const over = (seen: ReadonlyMap<string, number> | undefined): void => {
      this.#seen = seen === undefined ? undefined : shareOf(seen, this.#held())
      this.#since = this.#during!
      this.#during = undefined
    }
    this.#look().then(over, () => over(undefined))
  }
}
