/** Which addresses a webhook may have, form by form. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { defaultSettings } from "../../../../src/config.ts"
import { checkWebhookUrl, literalAddress } from "../../../../src/domain/webhook/webhook-url.ts"
import { addressFilter } from "../../../../src/outbound/address-filter.ts"

const closed = addressFilter([])
const check = (url: string) => Result.isSuccess(checkWebhookUrl(url, closed))

describe("a webhook's URL", () => {
  it.each([
    "https://example.com/hook",
    "http://example.com:8080/a?b=c",
    "https://93.184.215.14/",
    "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/",
    // names are resolved and filtered at each connection
    "http://localhost.example.com/",
    "http://metadata.google.internal/"
  ])("may be %s", (url) => expect(check(url)).toBe(true))

  it.each([
    ["another scheme", "ftp://example.com/"],
    ["a script", "javascript:alert(1)"],
    ["a file", "file:///etc/passwd"],
    ["user information", "https://user@example.com/"],
    ["a password", "https://:secret@example.com/"],
    ["no URL", "example.com"],
    ["nothing", ""],
    ["a space", "https://example.com/a b"],
    ["a line break", "https://example.com/\nx"],
    ["a NUL", "https://example.com/\u0000x"],
    ["a control character", "https://example.com/\u001bx"],
    ["back strokes before loopback", "http:\\\\127.0.0.1\\x"],
    ["this host", "https://localhost/"],
    ["this host with a dot behind", "http://LOCALHOST.:8080/"],
    ["a name of this host", "http://app.localhost/"],
    ["loopback", "http://127.0.0.1/"],
    ["loopback, short", "http://127.1/"],
    ["loopback, decimal", "http://2130706433/"],
    ["loopback, octal", "http://0177.0.0.1/"],
    ["loopback, hex", "http://0x7f.0.0.1/"],
    ["loopback, one hex number", "http://0x7f000001/"],
    ["loopback, full-width digits", "http://１２７.0.0.1/"],
    ["loopback with a dot behind", "http://127.0.0.1./"],
    ["this network", "http://0.0.0.0/"],
    ["nought", "http://0/"],
    ["private 10", "http://10.1.2.3/"],
    ["private 172.16", "http://172.31.255.255/"],
    ["private 192.168", "http://192.168.0.1/"],
    ["link-local (metadata)", "http://169.254.169.254/latest/meta-data"],
    ["CGNAT", "http://100.64.0.1/"],
    ["multicast", "http://224.0.0.1/"],
    ["reserved", "http://240.0.0.1/"],
    ["broadcast", "http://255.255.255.255/"],
    ["documentation", "http://192.0.2.1/"],
    ["benchmarking", "http://198.18.0.1/"],
    ["IPv6 loopback", "http://[::1]/"],
    ["IPv6 unspecified", "http://[::]/"],
    ["IPv6 unique local", "http://[fd00::1]/"],
    ["IPv6 link-local", "http://[fe80::1]/"],
    ["IPv6 site-local", "http://[fec0::1]/"],
    ["IPv6 multicast", "http://[ff02::1]/"],
    ["IPv4-mapped", "http://[::ffff:127.0.0.1]/"],
    ["IPv4-mapped, hex", "http://[::ffff:7f00:1]/"],
    ["IPv4-mapped, of a global address", "http://[::ffff:93.184.215.14]/"],
    ["IPv4-compatible", "http://[::7f00:1]/"],
    ["IPv4-translated", "http://[::ffff:0:7f00:1]/"],
    ["NAT64", "http://[64:ff9b::7f00:1]/"],
    ["local NAT64", "http://[64:ff9b:1::7f00:1]/"],
    ["6to4", "http://[2002:7f00:1::]/"],
    ["Teredo", "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/"],
    ["documentation of IPv6", "http://[2001:db8::1]/"],
    ["a zone id", "http://[fe80::1%25eth0]/"],
    ["not assigned", "http://[4000::1]/"]
  ])("is refused: %s", (_, url) => expect(check(url)).toBe(false))

  it("may have 2,048 characters and no more", () => {
    const url = (length: number) => `https://example.com/${"a".repeat(length - "https://example.com/".length)}`
    expect(check(url(2_048))).toBe(true)
    expect(check(url(2_049))).toBe(false)
  })

  it("may be private where the operator opened the range", () => {
    const open = addressFilter(["127.0.0.0/8", "fd00::/8"])
    expect(Result.isSuccess(checkWebhookUrl("http://0x7f000001/", open))).toBe(true)
    expect(Result.isSuccess(checkWebhookUrl("http://[fd00::1]/", open))).toBe(true)
    expect(Result.isSuccess(checkWebhookUrl("http://10.0.0.1/", open))).toBe(false)
    expect(Result.isSuccess(checkWebhookUrl("http://[::ffff:127.0.0.1]/", open))).toBe(false)
  })

  it("is kept as it was given", () =>
    expect(checkWebhookUrl("https://EXAMPLE.com", closed)).toEqual(Result.succeed("https://EXAMPLE.com")))
})

describe("the filter", () => {
  it("refuses a denied range although it is public or allowed, also inside an IPv6 address", () => {
    const filter = addressFilter(["10.0.0.0/8", "::ffff:0:0/96"], ["168.63.129.16/32", "10.1.0.0/16"])
    expect(["168.63.129.15", "10.2.0.1"].map(filter)).toEqual([true, true])
    expect(["168.63.129.16", "10.1.2.3", "::ffff:168.63.129.16", "::ffff:10.1.2.3"].map(filter)).toEqual(
      Array(4).fill(false)
    )
  })

  it("refuses the metadata addresses of the large clouds by default, whatever else is allowed", () => {
    const filter = addressFilter(["0.0.0.0/0", "::/0"], defaultSettings.webhookDenyCidrs)
    const addresses = ["169.254.169.254", "169.254.170.2", "fd00:ec2::254", "168.63.129.16", "100.100.100.200"]
    expect(addresses.filter(filter)).toEqual([])
    expect(filter("169.254.169.253")).toBe(true)
  })

  it.each([
    ["IPv4-mapped", (hex: string) => `::ffff:${hex}`],
    ["IPv4-compatible", (hex: string) => `::${hex}`],
    ["IPv4-translated", (hex: string) => `::ffff:0:${hex}`],
    ["NAT64", (hex: string) => `64:ff9b::${hex}`],
    ["local NAT64", (hex: string) => `64:ff9b:1::${hex}`],
    ["6to4", (hex: string) => `2002:${hex}::1`]
  ])("refuses a denied address in its %s form, whatever else is allowed", (_, form) => {
    const filter = addressFilter(["0.0.0.0/0", "::/0"], defaultSettings.webhookDenyCidrs)
    const hexOf = (address: string): string => {
      const [a, b, c, d] = address.split(".").map((byte) => Number(byte).toString(16).padStart(2, "0"))
      return `${a}${b}:${c}${d}`
    }
    for (const one of ["169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192"]) {
      expect([one, filter(one), filter(form(hexOf(one)))]).toEqual([one, false, false])
      expect(closed(form(hexOf(one)))).toBe(false)
    }
    expect(filter(form(hexOf("8.8.8.8")))).toBe(true)
  })

  it("refuses what is no address, and zone ids", () => {
    for (const text of ["", "example.com", "fe80::1%eth0", "2606:4700::1111%1"]) expect(closed(text)).toBe(false)
  })
})

it("a URL's host is a literal address or a name", () => {
  expect(literalAddress(new URL("http://0x7f.1/").hostname)).toBe("127.0.0.1")
  expect(literalAddress(new URL("http://[::1]/").hostname)).toBe("::1")
  expect(literalAddress("1.2.3.4.example.com")).toBeUndefined()
})

it("a URL's host may be this host where its addresses are open, and is told the way where they are not", () => {
  const open = addressFilter(["127.0.0.0/8"])
  expect(Result.isSuccess(checkWebhookUrl("http://localhost:9000/", open))).toBe(true)
  for (const url of ["http://localhost:9000/", "http://127.0.0.1:9000/"])
    expect(Result.getFailure(checkWebhookUrl(url, closed))).toMatchObject({
      value: expect.stringMatching(/hub listen.*HUB_WEBHOOK_ALLOW_CIDRS/u)
    })
})
