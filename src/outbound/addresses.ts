/**
 * Which addresses the hub may connect to on an integrator's behalf. Owns the filter: global unicast only, nothing that
 * embeds another address, unless an operator's range opens it. Pure.
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

/** A filter that also admits these ranges (`address/bits`, checked when the settings were read). */
export const addressFilter = (allowed: ReadonlyArray<string>): AddressFilter => {
  const ranges = allowed.map((range) => ipaddr.parseCIDR(range))
  return (text) => {
    // a zone id names an interface of this machine: never a stranger's business
    if (text.includes("%") || !ipaddr.isValid(text)) return false
    const address = ipaddr.parse(text)
    return global(address) || ranges.some((range) => range[0].kind() === address.kind() && address.match(range))
  }
}
