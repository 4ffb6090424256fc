/**
 * Which address a request counts for: the socket's peer, or what a trusted proxy says. Owns the reading of
 * `X-Forwarded-For` and the cut of IPv6 to its /64; never believes a header of anyone else.
 */
import ipaddr from "ipaddr.js"
import { LRUCache } from "lru-cache"
import { addressesCachedMax, forwardedHopsMax } from "../src/limits.ts"

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = readonly [Address, number]

/** The address of one request. */
export interface ClientAddress {
  /** The address itself, canonical. */
  readonly address: string
  /** What its bucket is named by: the address, or the /64 of an IPv6 one. */
  readonly bucket: string
  readonly loopback: boolean
}

const parse = (text: string): Address | undefined => {
  if (!ipaddr.isValid(text)) return undefined
  const address = ipaddr.process(text)
  return address
}

const bucketOf = (address: Address): string => {
  if (address.kind() === "ipv4") return address.toString()
  const parts = (address as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16))
  return `${parts.join(":")}::/64`
}

const inRange = (address: Address, [network, bits]: Range): boolean =>
  address.kind() === network.kind() && address.match(network as never, bits)

/** A forwarded element may carry a port (`1.2.3.4:80`, `[::1]:80`) or quotes. */
const bareAddress = (text: string): string => {
  const trimmed = text.trim().replace(/^"|"$/gu, "")
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/u.exec(trimmed)
  if (bracketed !== null) return bracketed[1]!
  return /^\d+\.\d+\.\d+\.\d+:\d+$/u.test(trimmed) ? trimmed.slice(0, trimmed.indexOf(":")) : trimmed
}

/** A reader of addresses that trusts these ranges (CIDR). */
export const addressReader = (trustedProxies: ReadonlyArray<string>) => {
  const trusted: ReadonlyArray<Range> = trustedProxies.map((range) => ipaddr.parseCIDR(range))
  const isTrusted = (address: Address): boolean => trusted.some((range) => inRange(address, range))
  const known = new LRUCache<string, { readonly client: ClientAddress; readonly trusted: boolean }>({
    max: addressesCachedMax
  })

  const look = (text: string) => {
    const cached = known.get(text)
    if (cached !== undefined) return cached
    const address = parse(text)
    const client =
      address === undefined
        ? { address: text, bucket: text, loopback: false }
        : { address: address.toString(), bucket: bucketOf(address), loopback: address.range() === "loopback" }
    const entry = { client, trusted: address !== undefined && isTrusted(address) }
    known.set(text, entry)
    return entry
  }

  /** The right-most forwarded address that is not trusted; the last readable one when all are, or junk follows. */
  const forwarded = (peer: ClientAddress, header: string): ClientAddress => {
    let client = peer
    const hops = header.split(",").slice(-forwardedHopsMax).reverse()
    for (const hop of hops) {
      const text = bareAddress(hop)
      if (parse(text) === undefined) return client
      const entry = look(text)
      client = entry.client
      if (!entry.trusted) return client
    }
    return client
  }

  return {
    /** The client of a request: `peer` as the socket tells it, and its forwarded header ("" when there is none). */
    client: (peer: string, header: string): ClientAddress => {
      const entry = look(peer)
      return entry.trusted && header !== "" ? forwarded(entry.client, header) : entry.client
    },
    /** Whether the peer may speak for others. */
    trusts: (peer: string): boolean => look(peer).trusted
  }
}

/** A reader of addresses. */
export type AddressReader = ReturnType<typeof addressReader>
