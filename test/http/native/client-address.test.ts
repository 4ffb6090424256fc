/** The client of a connection: cached by the bytes of its address, or by its text where it must be parsed. */
import { describe, expect, it } from "vitest"
import { addressReader } from "../../../http/native/client-address.ts"
import { addressesCachedMax } from "../../../src/limits.ts"
import { fc, forAll } from "../../support/properties.ts"

const remoteOf = (text: string, bytes: ReadonlyArray<number>) => ({
  getRemoteAddress: () => new Uint8Array(bytes).buffer,
  getRemoteAddressAsText: () => new TextEncoder().encode(text).buffer as ArrayBuffer
})
const quad = (bytes: ReadonlyArray<number>) => bytes.join(".")

describe("the client of a connection", () => {
  it("is the same by its bytes as by its text, the first time and again", () => {
    const byBytes = addressReader([])
    const byText = addressReader([])
    const octets = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 })
    forAll(octets, (bytes) => {
      const expected = byText.client(quad(bytes), "")
      for (const _ of [1, 2]) expect(byBytes.of(remoteOf(quad(bytes), bytes), "")).toEqual(expected)
    })
  })
  it("is read from the text where the address is no IPv4 one, or something was forwarded", () => {
    const reader = addressReader(["10.0.0.0/8"])
    const v6 = remoteOf("2001:0db8:0000:0000:0000:0000:0000:0001", [0x20, 1, 0xd, 0xb8, ...Array(11).fill(0), 1])
    expect(reader.of(v6, "")).toEqual(reader.client("2001:0db8:0000:0000:0000:0000:0000:0001", ""))
    const proxy = remoteOf("10.0.0.1", [10, 0, 0, 1])
    expect(reader.of(proxy, "").bucket).toBe("10.0.0.1")
    expect(reader.of(proxy, "192.0.2.7").bucket).toBe("192.0.2.7")
  })
  it("is right also when more peers were seen than are remembered", () => {
    const reader = addressReader([])
    const at = (number: number) => [10, (number >> 16) & 255, (number >> 8) & 255, number & 255]
    for (let number = 0; number <= addressesCachedMax; number++) {
      const bytes = at(number)
      if (reader.of(remoteOf(quad(bytes), bytes), "").bucket !== quad(bytes)) expect.fail(quad(bytes))
    }
    expect(reader.of(remoteOf("10.0.0.0", at(0)), "").bucket).toBe("10.0.0.0")
  })
})
