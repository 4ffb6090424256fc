/**
 * The number of connections that the server holds, daemon sockets included, so that descriptors remain for the rest of
 * the process: stores, files, outbound calls. Owns the counts and which connection is admitted; closes nothing and
 * knows no request.
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

/** What the limit asks of its surroundings. */
export interface ConnectionNeeds {
  /** Descriptors that the process may open. */
  readonly descriptors: number
  /** The lowest descriptor that is free. */
  readonly lowestFree: () => number
  /** Notes a connection from this address. The number it then has, daemon sockets included; 0: not known. */
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
  /** The maximum; a further connection is closed as it comes. */
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

  /** The number of open connections. */
  get size(): number {
    return this.#calling + this.#sockets
  }

  /** Counts a new connection. False: it must be closed. `address`: undefined for a proxy, which speaks for many. */
  opened(address: () => string | undefined): boolean {
    this.#calling++
    // the address and the lowest free descriptor cost a system call each: neither is read while there is room
    const stays = this.size <= this.#crowded || this.#mayStay(address())
    if (!stays) count("hub_connections_refused_total")
    return stays
  }

  /** Counts the end of a connection that is not a daemon socket. */
  closed(): void {
    this.#calling--
  }

  /** Counts a connection as a daemon socket from now on. `address`: as it was opened; undefined behind a proxy. */
  upgraded(address: string | undefined): void {
    this.#calling--
    this.#sockets++
    if (address === undefined) return
    this.#socketsOf.set(address, (this.#socketsOf.get(address) ?? 0) + 1)
  }

  /** Counts the end of a daemon socket. */
  socketClosed(address: string | undefined): void {
    this.#sockets--
    if (address === undefined) return
    const left = this.#socketsOf.get(address)! - 1
    if (left === 0) this.#socketsOf.delete(address)
    else this.#socketsOf.set(address, left)
  }

  #mayStay(address: string | undefined): boolean {
    const { lowestFree, from } = this.#needs
    // counted first: otherwise a flood of refused connections would not be recognised
    const estimate = address === undefined ? 0 : from(address) - (this.#socketsOf.get(address) ?? 0)
    // while daemons arrive quickly the estimate counts those of the last look twice: no address has more than there are
    const own = Math.min(estimate, this.#calling)
    if (this.size > this.max || lowestFree() >= this.#full) return false
    return own <= Math.max(1, (this.max - this.size) * freeShareOfAddress)
  }
}
