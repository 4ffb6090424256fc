/**
 * The address that a request counts towards. Owns a bounded cache of parsed peers; src/domain/net/client-address.ts has
 * the rules.
 */
import { LRUCache } from "lru-cache"
import { clientAddress, isTrustedProxy, trustedProxies } from "../../src/domain/net/client-address.ts"
import { addressesCachedMax } from "../../src/limits.ts"
import { entriesAtMost } from "../../src/runtime/entries-at-most.ts"
import { proxiesSeen } from "../../src/runtime/proxies-seen.ts"
import type { ClientAddress } from "../pipeline/request-parts.ts"
import { forwardedOf, type HeadSource } from "./request-head.ts"

/** The client of a connection that is closed: its address is unknown. */
export const disconnectedClient: ClientAddress = { bucket: "departed", loopback: false }

const loopbacks =
  /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|(?:0{0,4}:){2,7}0{0,3}1|(?:0{0,4}:){2,5}ffff:(?:7f[0-9a-f]{2}:[0-9a-f]{1,4}|127\..*))$/iu

/** The peer's address of a connection. Reading the bytes costs half as much as the text. */
export interface Remote {
  readonly getRemoteAddress: () => ArrayBuffer
  readonly getRemoteAddressAsText: () => ArrayBuffer
}

/** A reader of client addresses that trusts these proxies (CIDR ranges). */
export const addressReader = (proxies: ReadonlyArray<string>) => {
  const trusted = trustedProxies(proxies)
  const byText = new LRUCache<string, ClientAddress>(entriesAtMost(addressesCachedMax))
  const byIpv4 = new Map<number, ClientAddress>()

  const client = (peer: string, forwarded: string): ClientAddress => {
    if (forwarded !== "") return { bucket: clientAddress(peer, forwarded, trusted), loopback: false }
    let one = byText.get(peer)
    if (one === undefined) {
      one = { bucket: clientAddress(peer, undefined, trusted), loopback: loopbacks.test(peer) }
      byText.set(peer, one)
    }
    return one
  }
  const textOf = (remote: Remote): string => Buffer.from(remote.getRemoteAddressAsText()).toString("latin1")
  const singlePeer = (peer: string): string | undefined =>
    isTrustedProxy(peer, trusted) ? undefined : client(peer, "").bucket

  return {
    /** The client behind a peer and its `X-Forwarded-For` ("" when there is none). */
    client,
    /** Whose the connections of a peer are; undefined of a proxy that is trusted, which speaks for many. */
    singlePeer,
    /**
     * The `X-Forwarded-For` of a request that has one. It is read where a proxy is trusted or it is `wanted`; that the
     * peer forwards is noted for `hub doctor` either way.
     */
    forwarded: (remote: Remote, head: HeadSource, wanted = false): string => {
      if (proxiesSeen.isDue()) proxiesSeen.note(textOf(remote), (peer) => isTrustedProxy(peer, trusted))
      return wanted || proxies.length > 0 ? forwardedOf(head) : ""
    },
    /** Whose a connection is. */
    single: (remote: Remote): string | undefined => singlePeer(textOf(remote)),
    /** The client of a connection; an IPv4 peer's is remembered by its bytes. */
    of: (remote: Remote, forwarded: string): ClientAddress => {
      if (forwarded !== "") return client(textOf(remote), forwarded)
      const bytes = remote.getRemoteAddress()
      if (bytes.byteLength !== 4) return client(textOf(remote), forwarded)
      const number = new DataView(bytes).getUint32(0)
      let one = byIpv4.get(number)
      if (one === undefined) {
        one = client(textOf(remote), forwarded)
        if (byIpv4.size >= addressesCachedMax) byIpv4.clear()
        byIpv4.set(number, one)
      }
      return one
    }
  }
}

/** A reader of addresses. */
export type AddressReader = ReturnType<typeof addressReader>
