/**
 * Which address a request counts for, remembered: the rules are src/domain/address.ts. Owns the bounded memory of peers
 * already read.
 */
import { LRUCache } from "lru-cache"
import { clientAddress, trustedProxies } from "../src/domain/address.ts"
import { addressesCachedMax } from "../src/limits.ts"

/** The client of one request. */
export interface ClientAddress {
  /** What its bucket is named by: the IPv4 address, or the /64 of an IPv6 one. */
  readonly bucket: string
  /** Whether it is this very machine, speaking for itself. */
  readonly loopback: boolean
}

const loopbacks =
  /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|(?:0{0,4}:){2,7}0{0,3}1|(?:0{0,4}:){2,5}ffff:(?:7f[0-9a-f]{2}:[0-9a-f]{1,4}|127\..*))$/iu

/** A reader of client addresses that believes these proxies (CIDR ranges). */
export const addressReader = (proxies: ReadonlyArray<string>) => {
  const trusted = trustedProxies(proxies)
  const known = new LRUCache<string, ClientAddress>({ max: addressesCachedMax })
  return {
    /** The client behind a peer and its `X-Forwarded-For` ("" when there is none). */
    client: (peer: string, forwarded: string): ClientAddress => {
      if (forwarded !== "") return { bucket: clientAddress(peer, forwarded, trusted), loopback: false }
      let client = known.get(peer)
      if (client === undefined) {
        client = { bucket: clientAddress(peer, undefined, trusted), loopback: loopbacks.test(peer) }
        known.set(peer, client)
      }
      return client
    }
  }
}

/** A reader of addresses. */
export type AddressReader = ReturnType<typeof addressReader>
