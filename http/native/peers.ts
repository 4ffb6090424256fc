/**
 * How many connections each address has to a port of this machine, as the system tells: the HTTP library says that a
 * connection ended, but not whose it was. Owns the looks, one at a time and only while somebody asks.
 */
import { peersLookMillis } from "../../src/limits/edge.ts"

/** Counts of connections by address; undefined where the system does not tell. */
export type Look = () => Promise<ReadonlyMap<string, number> | undefined>

const increment = (counts: Map<string, number>, address: string): void => {
  counts.set(address, (counts.get(address) ?? 0) + 1)
}

/** The peers of a server. */
export class Peers {
  readonly #look: Look
  readonly #now: () => number
  /** Undefined where the system does not tell; nothing before the first look is over. */
  #counts: ReadonlyMap<string, number> | undefined = new Map()
  /** Those that came since the last look that is over began. */
  #newSinceLook = new Map<string, number>()
  /** Those that came since the look under way began. */
  #newDuringLook: Map<string, number> | undefined
  #lookedAt = Number.NEGATIVE_INFINITY

  /** `now`: milliseconds that never go back. */
  constructor(look: Look, now: () => number) {
    this.#look = look
    this.#now = now
  }

  /** Notes a connection from this address: it has at most as many as is said, with that; 0 where nothing is known. */
  add(address: string): number {
    const now = this.#now()
    if (this.#newDuringLook === undefined && now - this.#lookedAt >= peersLookMillis) this.#begin(now)
    increment(this.#newSinceLook, address)
    if (this.#newDuringLook !== undefined) increment(this.#newDuringLook, address)
    if (this.#counts === undefined) return 0
    return (this.#counts.get(address) ?? 0) + this.#newSinceLook.get(address)!
  }

  #begin(now: number): void {
    this.#lookedAt = now
    this.#newDuringLook = new Map()
    const onCounts = (seen: ReadonlyMap<string, number> | undefined): void => {
      this.#counts = seen
      this.#newSinceLook = this.#newDuringLook!
      this.#newDuringLook = undefined
    }
    this.#look().then(onCounts, () => onCounts(undefined))
  }
}
