/**
 * Which messages between nodes are believed: those of the same secret key, for this place, of the last 90 s, unchanged.
 */
import { describe, expect, it } from "vitest"
import { messageAuthentication } from "../../../src/bus/message-authentication.ts"
import { busMessageMillisMax } from "../../../src/limits/nodes.ts"
import { anyText, fc, forAll } from "../../support/properties.ts"

const key = new Uint8Array(32).fill(1)
const at = (now: number, secretKey = key) => messageAuthentication(secretKey, () => now)
const now = 1_790_000_000_000

describe("a message between nodes", () => {
  it("is believed by who has the same key, whatever its text and its place", () =>
    forAll(anyText(), fc.string(), (text, place) => {
      expect(at(now).verify(place, at(now).sign(place, text))).toBe(text)
    }))

  it("is believed under each of several keys, and signed under the first", () => {
    const older = new Uint8Array(32).fill(2)
    const both = new Uint8Array([...key, ...older])
    expect(at(now, both).verify("p", at(now, older).sign("p", "text"))).toBe("text")
    expect(at(now).verify("p", at(now, both).sign("p", "text"))).toBe("text")
    expect(at(now, older).verify("p", at(now, both).sign("p", "text"))).toBeUndefined()
  })

  it("is not believed where one character of it is another, or the border of place and text", () => {
    const signed = at(now).sign("hub:0:all", '{"from":"n"}')
    const end = signed.length - 1
    forAll(1_000, fc.nat(end), fc.string({ minLength: 1, maxLength: 1 }), (nth, character) => {
      const changed = signed.slice(0, nth) + character + signed.slice(nth + 1)
      if (changed !== signed) expect(at(now).verify("hub:0:all", changed)).toBeUndefined()
    })
    const [form, time, mac] = signed.split(".")
    expect(at(now).verify("hub:0:al", `${form}.${time}.${mac}.l{"from":"n"}`)).toBeUndefined()
  })

  it("is not believed in another place, under another key, or without a signature", () => {
    const signed = at(now).sign("hub:0:inbox:a", "text")
    expect(at(now).verify("hub:0:inbox:b", signed)).toBeUndefined()
    expect(at(now, new Uint8Array(32).fill(2)).verify("hub:0:inbox:a", signed)).toBeUndefined()
    for (const text of ["", "text", '{"from":"n","at":0,"parts":[]}', "h1..", `h1.${now}.${"A".repeat(43)}.text`])
      expect(at(now).verify("hub:0:inbox:a", text)).toBeUndefined()
  })

  it(`is believed for ${busMessageMillisMax / 1_000} s, by clocks that are off either way`, () => {
    const signed = at(now).sign("p", "text")
    for (const [off, is] of [
      [busMessageMillisMax, true],
      [-busMessageMillisMax, true],
      [busMessageMillisMax + 1, false],
      [-busMessageMillisMax - 1, false]
    ] as const) {
      expect(at(now + off).verify("p", signed) === "text").toBe(is)
    }
  })
})
