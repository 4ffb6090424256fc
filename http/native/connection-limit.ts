/**
 * How many connections the server holds, daemons' sockets among them, so that descriptors are left for everything else
 * of its process: the stores, files, calls to others. Owns the counts and who is let in; closes nothing and knows no
 * request.
 */
import {
  connectionsMin,
  crowdedShare,
  descriptorsFreeShare,
  descriptorsReserved,
  descriptorsReservedShare,
  descriptorsSpareMin,
  freeShareOfAddress
} from "../../src/limits/edge.ts"
import { count } from "../../src/runtime/metrics.ts"

/** What it asks. */
export interface ConnectionNeeds {
  /** Descriptors that the process may have. */
  readonly descriptors: number
  /** The lowest descriptor that is free. */
  readonly lowestFree: () => number
  /**
   * Notes a connection from this address. How many it had with that, daemons' sockets among them; 0 where that is not
   * known.
   */
  readonly from: (address: string) => number
}

/** What connections leave of so many descriptors, where `used` are in use before the first connection. */
const reserveOf = (descriptors: number, used: number): number => {
  const share = Math.max(descriptorsReserved, descriptors * descriptorsReservedShare)
  return Math.max(Math.min(descriptors / 2, share), 2 * used + descriptorsSpareMin)
}

/** Of so many descriptors connections get this many. */
export const connectionsOf = (descriptors: number, used: number): number =>
  descriptors === Number.POSITIVE_INFINITY
    ? descriptors
    : Math.max(connectionsMin, descriptors - reserveOf(descriptors, used))

/** The lowest free descriptor from which on no connection is taken: the rest is for what else the process opens. */
const fullFrom = (descriptors: number, connections: number, used: number): number => {
  if (descriptors === Number.POSITIVE_INFINITY) return descriptors
  return descriptors - Math.max(descriptorsSpareMin, descriptors - connections - 2 * used) * descriptorsFreeShare
}

/** The connections of a server. */
export class OpenConnections {
  /** Connections there may be; one more is closed as it comes. */
  readonly max: number
  readonly #needs: ConnectionNeeds
  /** The lowest free descriptor from which on no connection is taken. */
  readonly #full: number
  readonly #crowded: number
  #calling = 0
  #sockets = 0
  readonly #socketsOf = new Map<string, number>()

  constructor(needs: ConnectionNeeds) {
    this.#needs = needs
    const used = needs.lowestFree()
    this.max = connectionsOf(needs.descriptors, used)
    this.#full = fullFrom(needs.descriptors, this.max, used)
    this.#crowded = this.max * crowdedShare
  }

  /** How many there are. */
  get size(): number {
    return this.#calling + this.#sockets
  }

  /** One came. False: it must be closed. `address`: whose it is; undefined of one that speaks for many (a proxy). */
  opened(address: () => string | undefined): boolean {
    this.#calling++
    // whose a connection is costs a look into the system, as does the next descriptor: nobody looks while there is room
    const stays = this.size <= this.#crowded || this.#mayStay(address())
    if (!stays) count("hub_connections_refused_total")
    return stays
  }

  /** One that was no daemon's socket is closed. */
  closed(): void {
    this.#calling--
  }

  /** One became a daemon's socket. `address`: as when it was opened; who is behind a proxy has no connection here. */
  upgraded(address: string | undefined): void {
    this.#calling--
    this.#sockets++
    if (address === undefined) return
    this.#socketsOf.set(address, (this.#socketsOf.get(address) ?? 0) + 1)
  }

  /** A daemon's socket is closed. */
  socketClosed(address: string | undefined): void {
    this.#sockets--
    if (address === undefined) return
    const left = this.#socketsOf.get(address)! - 1
    if (left === 0) this.#socketsOf.delete(address)
    else this.#socketsOf.set(address, left)
  }

  #mayStay(address: string | undefined): boolean {
    const { lowestFree, from } = this.#needs
    // counted before anything else is asked, or a flood that is refused would not be known for one
    const own = address === undefined ? 0 : from(address) - (this.#socketsOf.get(address) ?? 0)
    if (this.size > this.max || lowestFree() >= this.#full) return false
    return own <= Math.max(1, (this.max - this.size) * freeShareOfAddress)
  }
}
