/**
 * Counts the connections of each address to a port of this host. The counts come from the system's table of
 * connections, because the HTTP library does not say whose connection ended. Owns the reads of that table, one at a
 * time and only while connections arrive.
 */
import { connectionTableReadMillis } from "../../src/limits/edge.ts"

/** Reads the counts by address; undefined where the system offers none. */
export type Look = () => Promise<ReadonlyMap<string, number> | undefined>

const increment = (counts: Map<string, number>, address: string): void => {
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
export class ConnectionsByAddress {
  readonly #look: Look
  readonly #now: () => number
  readonly #held: () => number
  /** The last counts; undefined where the system offers none, empty before the first look has ended. */
  #counts: ReadonlyMap<string, number> | undefined = new Map()
  /** Connections since the last completed look began. */
  #newSinceLook = new Map<string, number>()
  /** Connections since the look in progress began. */
  #newDuringLook: Map<string, number> | undefined
  #lookedAt = Number.NEGATIVE_INFINITY

  /** `now`: milliseconds that never go back. `held`: the connections of this process. */
  constructor(look: Look, now: () => number, held: () => number) {
    this.#look = look
    this.#now = now
    this.#held = held
  }

  /** Counts a connection from this address. Returns an upper bound of the address's connections; 0 where unknown. */
  add(address: string): number {
    const now = this.#now()
    if (this.#newDuringLook === undefined && now - this.#lookedAt >= connectionTableReadMillis) this.#begin(now)
    increment(this.#newSinceLook, address)
    if (this.#newDuringLook !== undefined) increment(this.#newDuringLook, address)
    if (this.#counts === undefined) return 0
    return (this.#counts.get(address) ?? 0) + this.#newSinceLook.get(address)!
  }

  #begin(now: number): void {
    this.#lookedAt = now
    this.#newDuringLook = new Map()
    const onCounts = (seen: ReadonlyMap<string, number> | undefined): void => {
      this.#counts = seen === undefined ? undefined : shareOf(seen, this.#held())
      this.#newSinceLook = this.#newDuringLook!
      this.#newDuringLook = undefined
    }
    this.#look().then(onCounts, () => onCounts(undefined))
  }
}
