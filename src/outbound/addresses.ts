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
 * A filter that also admits the ranges `allowed` and refuses the ranges `denied`, which win (`address/bits`, checked when the
 * settings were read). An IPv4 address inside an IPv6 one is judged as IPv4 too.
 */
export const addressFilter = (allowed: ReadonlyArray<string>, denied: ReadonlyArray<string> = []): AddressFilter => {
  const open = allowed.map((range) => ipaddr.parseCIDR(range))
  const closed = denied.map((range) => ipaddr.parseCIDR(range))
  return (text) => {
    // a zone id names an interface of this host, which no receiver's address needs
    if (text.includes("%") || !ipaddr.isValid(text)) return false
    const address = ipaddr.parse(text)
    return !isIn(address, closed) && !isIn(ipaddr.process(text), closed) && (global(address) || isIn(address, open))
  }
}
