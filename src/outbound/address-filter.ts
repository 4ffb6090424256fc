/**
 * Which addresses the hub may connect to for an integrator. Owns the filter: global unicast only, nothing that embeds
 * another address, unless the operator's ranges allow it; never what they forbid. Pure.
 */
import ipaddr from "ipaddr.js"

/** Whether the hub may connect to this address. */
export type AddressFilter = (address: string) => boolean

const globalIpv6 = ipaddr.parseCIDR("2000::/3")

const global = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean => {
  if (address.range() !== "unicast") return false
  // Outside 2000::/3, what is unlisted is unassigned or embeds an IPv4 address (::/96).
  return address.kind() === "ipv4" || address.match(globalIpv6 as [ipaddr.IPv6, number])
}

const isIn = (address: ipaddr.IPv4 | ipaddr.IPv6, ranges: ReadonlyArray<[ipaddr.IPv4 | ipaddr.IPv6, number]>) =>
  ranges.some((range) => range[0].kind() === address.kind() && address.match(range))

/**
 * The byte at which an IPv6 address of these ranges embeds an IPv4 one: mapped, compatible, translated, NAT64 (RFC
 * 6052, 8215), 6to4.
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

/** The address, and each IPv4 address that a translator on the path may read from it. */
const addressesIn = (address: ipaddr.IPv4 | ipaddr.IPv6): ReadonlyArray<ipaddr.IPv4 | ipaddr.IPv6> => {
  if (address.kind() === "ipv4") return [address]
  const bytes = address.toByteArray()
  const within = embedding.filter(({ range }) => (address as ipaddr.IPv6).match(range))
  return [address, ...within.map(({ at }) => new ipaddr.IPv4(bytes.slice(at, at + 4)))]
}

/**
 * A filter that also admits the ranges `allowed` and refuses the ranges `denied`, which win (`address/bits`, checked
 * with the settings). An IPv4 address embedded in an IPv6 one is denied as IPv4 too.
 */
export const addressFilter = (allowed: ReadonlyArray<string>, denied: ReadonlyArray<string> = []): AddressFilter => {
  const open = allowed.map((range) => ipaddr.parseCIDR(range))
  const closed = denied.map((range) => ipaddr.parseCIDR(range))
  return (text) => {
    // A zone id names an interface of this host; no receiver's address needs one.
    if (text.includes("%") || !ipaddr.isValid(text)) return false
    const address = ipaddr.parse(text)
    if (addressesIn(address).some((one) => isIn(one, closed))) return false
    return global(address) || isIn(address, open)
  }
}
