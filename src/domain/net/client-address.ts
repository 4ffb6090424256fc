/**
 * The client address of a request: the socket's peer, or, behind trusted proxies, the right-most forwarded address that
 * is not one of them; IPv6 by its /64. Owns the reading of addresses for limits; opens no connection.
 */
import { isIP } from "node:net"
import ipaddr from "ipaddr.js"
import { forwardedCharsMax } from "../../limits.ts"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The proxies whose forwarded addresses are believed. */
export type TrustedProxies = ReadonlyArray<readonly [Address, number]>

/** What stands for a peer without a readable address; such peers share one bucket. */
export const unknownAddress = "unknown"

/**
 * Reads one address; IPv4 inside IPv6 (`::ffff:…`) becomes IPv4. The text goes through the URL parser first because
 * ipaddr.js takes `::10.0.0.1` for an IPv4-mapped address, which would let an IPv6 peer pass for an IPv4 proxy.
 */
const parse = (text: string): Address | undefined => {
  const plain = text.split("%", 1)[0]!
  const family = isIP(plain)
  if (family === 4) return ipaddr.IPv4.parse(plain)
  if (family === 0) return undefined
  const address = ipaddr.IPv6.parse(new URL(`http://[${plain}]/`).hostname.slice(1, -1))
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** Reads the list of trusted ranges. */
export const trustedProxies = (cidrs: ReadonlyArray<string>): TrustedProxies =>
  cidrs.flatMap((cidr) => {
    const [text = "", length = ""] = cidr.split("/")
    const address = parse(text)
    if (address === undefined || length === "") return []
    const wasMapped = isIP(text) === 6 && address.kind() === "ipv4"
    return [[address, wasMapped ? Math.max(0, Number(length) - 96) : Number(length)] as const]
  })

const isTrusted = (address: Address, trusted: TrustedProxies): boolean =>
  trusted.some(([range, length]) => address.kind() === range.kind() && address.match(range as never, length))

/** Whether a peer is one of them. */
export const isTrustedProxy = (peer: string, trusted: TrustedProxies): boolean => {
  if (trusted.length === 0) return false
  const address = parse(peer)
  return address !== undefined && isTrusted(address, trusted)
}

const cut = (address: Address): string => {
  if (address.kind() === "ipv4") return address.toString()
  const network = (address as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(":")}::/64`
}

/** An entry of `X-Forwarded-For`, with or without a port. */
const hop = (entry: string): Address | undefined => {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/u.exec(entry)
  if (bracketed) return parse(bracketed[1]!)
  const ported = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/u.exec(entry)
  return parse(ported ? ported[1]! : entry)
}

/**
 * The client's address. `forwarded` is the value of `X-Forwarded-For` and is read from the right, only while each hop
 * is trusted; an unreadable entry ends the reading, so that nothing further left is believed.
 */
export const clientAddress = (peer: string, forwarded: string | undefined, trusted: TrustedProxies): string => {
  let address = parse(peer)
  if (address === undefined) return unknownAddress
  if (forwarded === undefined || forwarded === "" || trusted.length === 0) return cut(address)
  let rest = forwarded.slice(-forwardedCharsMax)
  while (rest !== "" && isTrusted(address, trusted)) {
    const comma = rest.lastIndexOf(",")
    const next = hop(rest.slice(comma + 1).trim())
    if (next === undefined) break
    address = next
    rest = comma < 0 ? "" : rest.slice(0, comma)
  }
  return cut(address)
}
