/** Whose address a request comes from. */
import { describe, expect, it } from "vitest"
import { clientAddress, trustedProxies, unknownAddress } from "../../../../src/domain/net/client-address.ts"

const trusted = trustedProxies(["10.0.0.0/8", "fd00::/8", "::ffff:192.168.0.0/112"])

describe("the client's address", () => {
  const cases: ReadonlyArray<readonly [name: string, peer: string, forwarded: string | undefined, expected: string]> = [
    ["is the peer without a proxy", "203.0.113.9", undefined, "203.0.113.9"],
    ["is the peer when the peer is not trusted, whatever it forwards", "203.0.113.9", "1.2.3.4", "203.0.113.9"],
    ["is the right-most forwarded one that is not trusted", "10.0.0.1", "6.6.6.6, 1.2.3.4, 10.9.9.9", "1.2.3.4"],
    ["is never left of the first untrusted hop", "10.0.0.1", "10.0.0.2, 1.2.3.4", "1.2.3.4"],
    ["is the left-most hop when all are trusted", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["is the last believed hop when an entry is unreadable", "10.0.0.1", "1.2.3.4, junk, 10.0.0.2", "10.0.0.2"],
    ["takes ports off", "10.0.0.1", "123.45.167.189:5678", "123.45.167.189"],
    ["takes no port off where something is before it", "10.0.0.1", "x1.2.3.4:80", "10.0.0.1"],
    ["takes no port off where something is behind it", "10.0.0.1", "1.2.3.4:80x", "10.0.0.1"],
    ["takes brackets and ports off IPv6", "10.0.0.1", "[2001:db8::7]:443", "2001:db8:0:0::/64"],
    ["takes brackets off without a port", "10.0.0.1", "[2001:db8::7]", "2001:db8:0:0::/64"],
    ["takes no brackets off where something is behind them", "10.0.0.1", "[2001:db8::7]x", "10.0.0.1"],
    ["cuts IPv6 to its /64", "2001:db8:1:2:3:4:5:6", undefined, "2001:db8:1:2::/64"],
    ["reads the long form the socket gives", "0000:0000:0000:0000:0000:ffff:cb00:7109", undefined, "203.0.113.9"],
    ["reads IPv4 inside IPv6 as IPv4", "::ffff:10.0.0.1", "1.2.3.4", "1.2.3.4"],
    ["does not take ::10.0.0.1 for a proxy at 10.0.0.1", "::10.0.0.1", "1.2.3.4", "0:0:0:0::/64"],
    ["trusts a range that was written in its IPv6 form", "192.168.0.7", "1.2.3.4", "1.2.3.4"],
    ["ignores a zone", "fe80::1%eth0", undefined, "fe80:0:0:0::/64"],
    ["does not read octal, hex and short forms as addresses", "10.0.0.1", "0x7f.1", "10.0.0.1"],
    ["is one shared word when the peer has none", "", "1.2.3.4", unknownAddress]
  ]
  it.each(cases)("%s", (_name, peer, forwarded, expected) =>
    expect(clientAddress(peer, forwarded, trusted)).toBe(expected)
  )

  it("reads a megabyte of forwarded addresses only at its right end", () => {
    const flood = "10.0.0.2,".repeat(100_000)
    expect(clientAddress("10.0.0.1", `1.2.3.4,${flood}10.0.0.3`, trusted)).toMatch(/^(10\.|0)/u)
    expect(clientAddress("10.0.0.1", `${flood}5.6.7.8`, trusted)).toBe("5.6.7.8")
  })
})
