/**
 * Resolves a receiver's name to the addresses the hub may connect to. Owns the look-up that each connection is pinned
 * to: the hub connects to exactly what it checked. Names go to the name servers without the system's four look-up
 * threads, so that a slow name delays no other; only names unknown there go to the system's resolver.
 */
import { Resolver, lookup as systemLookup } from "node:dns/promises"
import type { LookupFunction } from "node:net"
import { connectMillisMax, systemLookupsMax, systemLookupsWaitingMax } from "../limits/delivery.ts"
import type { AddressFilter } from "./address-filter.ts"

/** One address of a name. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: 4 | 6
}

/** Finds the addresses of a name; rejects when there are none. */
export type Resolve = (hostname: string) => Promise<ReadonlyArray<ResolvedAddress>>

/** Every address of the name is forbidden. */
export class AddressBlocked extends Error {
  readonly code = "HUB_ADDRESS_BLOCKED"
}

const found = (family: 4 | 6) => (address: string) => ({ address, family })

const bySystemAlone: Resolve = async (hostname) => {
  const all = await systemLookup(hostname, { all: true })
  return all.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
}

/** A few look-ups at once, the others in a queue; when it is full, the next fails as at a busy name server. */
export const inTurn = (ask: Resolve): Resolve => {
  const waiting: Array<() => void> = []
  let running = 0
  return async (hostname) => {
    if (running < systemLookupsMax) running++
    else if (waiting.length >= systemLookupsWaitingMax) {
      throw Object.assign(new Error("too many names are being looked up"), { code: "EAI_AGAIN" })
    } else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await ask(hostname)
    } finally {
      // The slot passes directly to the next, so that no newcomer takes it in between.
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}

/** Asks the name servers for both families at once, then the system. */
export const liveResolve = (): Resolve => {
  const resolver = new Resolver({ timeout: Math.floor(connectMillisMax / 2), tries: 2 })
  const bySystem = inTurn(bySystemAlone)
  return async (hostname) => {
    const name = hostname.replace(/\.$/u, "")
    if (name === "localhost" || name.endsWith(".localhost")) return [found(4)("127.0.0.1"), found(6)("::1")]
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const all = [
      ...(v4.status === "fulfilled" ? v4.value.map(found(4)) : []),
      ...(v6.status === "fulfilled" ? v6.value.map(found(6)) : [])
    ]
    return all.length > 0 ? all : bySystem(hostname)
  }
}

/** The look-up of a socket: resolves, filters, and returns allowed addresses only. */
export const pinnedLookup =
  (resolve: Resolve, allowed: AddressFilter): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname).then(
      (all) => {
        const wanted = options.family === 4 || options.family === 6 ? options.family : undefined
        const open = all.filter((one) => allowed(one.address) && (wanted === undefined || one.family === wanted))
        const [first] = open
        if (first === undefined) callback(new AddressBlocked("every address is forbidden"), "", 4)
        else if (options.all === true) callback(null, [...open])
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 4)
    )
  }
