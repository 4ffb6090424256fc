/**
 * Which addresses the hub may connect to on an integrator's behalf. Owns the filter: global unicast only, nothing that
 * embeds another address, unless an operator's range opens it; never what an operator's range forbids. Pure.
 */
import ipaddr from "ipaddr.js"

/** Judges one address in text. */
export type AddressFilter = (address: string) => boolean

const globalIpv6 = ipaddr.parseCIDR("2000::/3")

const global = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean => {
  if (address.range() !== "unicast") return false
  // what is outside 2000::/3 and unlisted is not assigned yet, or embeds an IPv4 address (::/96)
  return address.kind() === "ipv4" || address.match(globalIpv6 as [ipaddr.IPv6, number])
}

const isIn = (address: ipaddr.IPv4 | ipaddr.IPv6, ranges: ReadonlyArray<[ipaddr.IPv4 | ipaddr.IPv6, number]>) =>
  ranges.some((range) => range[0].kind() === address.kind() && address.match(range))

/**
 * Where an IPv6 address of these ranges holds an IPv4 one, in bytes: mapped, compatible, translated, NAT64 (RFC 6052,
 * 8215), 6to4.
 */
const embedding = (
  [
    ["::ffff:0:0/96", 12],
    ["::/96", 12],
    ["::ffff:0:0:0/96", 12],
    ["64:ff9b::/96", 12],
    ["64:ff9b:1::/48", 12],
    ["2002::/16", 2]
  ] as const
).map(([range, at]) => ({ range: ipaddr.parseCIDR(range) as [ipaddr.IPv6, number], at }))

/** The address, and each IPv4 address that a translator on the way may take it for. */
const meanings = (address: ipaddr.IPv4 | ipaddr.IPv6): ReadonlyArray<ipaddr.IPv4 | ipaddr.IPv6> => {
  if (address.kind() === "ipv4") return [address]
  const bytes = address.toByteArray()
  const within = embedding.filter(({ range }) => (address as ipaddr.IPv6).match(range))
  return [address, ...within.map(({ at }) => new ipaddr.IPv4(bytes.slice(at, at + 4)))]
}

/**
 * A filter that also admits the ranges `allowed` and refuses the ranges `denied`, which win (`address/bits`, checked
 * when the settings were read). An IPv4 address inside an IPv6 one is denied as IPv4 too.
 */
export const addressFilter = (allowed: ReadonlyArray<string>, denied: ReadonlyArray<string> = []): AddressFilter => {
  const open = allowed.map((range) => ipaddr.parseCIDR(range))
  const closed = denied.map((range) => ipaddr.parseCIDR(range))
  return (text) => {
    // a zone id names an interface of this host, which no receiver's address needs
    if (text.includes("%") || !ipaddr.isValid(text)) return false
    const address = ipaddr.parse(text)
    if (meanings(address).some((one) => isIn(one, closed))) return false
    return global(address) || isIn(address, open)
  }
}
