/** Conditional and range requests as pure rules, over arbitrary headers. */
import { describe, expect, it } from "vitest"
import { isKnown, rangeOf } from "../../../http/pipeline/conditional.ts"
import { RangeNotSatisfiable } from "../../../src/errors.ts"
import { anyText, fc, forAll } from "../../support/properties.ts"

const etag = '"5d41402abc4b2a76b9719d911017c592"'
const size = fc.integer({ min: 1, max: 10_485_760 })
const at = (text: string | undefined, of: number, ifRange?: string) => rangeOf(text, ifRange, etag, of)

describe("If-None-Match", () => {
  const others = fc.array(fc.stringMatching(/^(?:W\/)?"[a-z0-9]{0,8}"$/u), { maxLength: 4 })

  it("knows a content by its ETag, weak or strong, anywhere in the list, and by *", () => {
    forAll(
      others,
      others,
      fc.constantFrom("", "W/"),
      fc.constantFrom(",", ", ", " ,\t"),
      (before, after, weak, comma) => {
        expect(isKnown([...before, weak + etag, ...after].join(comma), etag)).toBe(true)
        expect(isKnown([...before, ...after].join(comma), etag)).toBe(false)
      }
    )
    expect(isKnown("*", etag)).toBe(true)
    expect(isKnown(" * ", etag)).toBe(true)
  })

  it("knows nothing without the header, by an ETag without its quotes, or by one that only contains it", () => {
    for (const text of [undefined, "", etag.slice(1, -1), `"x${etag.slice(1)}`, `${etag}x`, "w/*"])
      expect(isKnown(text, etag)).toBe(false)
  })

  it("takes any text without failing", () => {
    forAll(anyText(), (text) => void isKnown(text, etag))
  })
})

describe("Range", () => {
  it("gives what lies between two positions, cut at the end of the content", () =>
    forAll(size, fc.nat(10_485_760), fc.nat(20_000_000), (of, from, more) => {
      fc.pre(from < of)
      const last = Math.min(from + more, of - 1)
      expect(at(`bytes=${from}-${from + more}`, of)).toEqual({ from, length: last - from + 1 })
      expect(at(`bytes=${from}-`, of)).toEqual({ from, length: of - from })
    }))

  it("gives the last bytes, all of them when more are asked for than there are", () =>
    forAll(size, fc.integer({ min: 1, max: 20_000_000 }), (of, last) => {
      const length = Math.min(of, last)
      expect(at(`bytes=-${last}`, of)).toEqual({ from: of - length, length })
    }))

  it("cannot be satisfied behind the end, nor for the last 0 bytes", () => {
    forAll(size, fc.nat(1_000), (of, beyond) => {
      expect(at(`bytes=${of + beyond}-`, of)).toBeInstanceOf(RangeNotSatisfiable)
      expect(at(`bytes=${of + beyond}-${of + beyond}`, of)).toBeInstanceOf(RangeNotSatisfiable)
    })
    expect(at("bytes=-0", 5)).toBeInstanceOf(RangeNotSatisfiable)
  })

  it.each([
    undefined,
    "",
    "bytes",
    "bytes=",
    "bytes=-",
    "bytes=a-b",
    "bytes=3-1",
    "bytes=0-1,3-4",
    "bytes=1.5-2",
    "bytes=0x1-2",
    "items=0-1",
    "bytes=99999999999999999999-",
    "0-1"
  ])("is the whole for %j", (text) => expect(at(text, 5)).toBeUndefined())

  it("is the whole when If-Range names other bytes, names these weakly, or names a date", () => {
    for (const one of ['"other"', `W/${etag}`, "Sat, 29 Oct 1994 19:43:31 GMT", ""])
      expect(at("bytes=0-1", 5, one)).toBeUndefined()
    expect(at("bytes=0-1", 5, etag)).toEqual({ from: 0, length: 2 })
  })

  it("knows its unit in any case", () => expect(at("Bytes=0-1", 5)).toEqual({ from: 0, length: 2 }))

  it("never leaves the content, whatever is asked", () => {
    const text = fc.oneof(
      anyText(),
      fc.stringMatching(/^bytes=[0-9]{0,20}-[0-9]{0,20}$/u),
      fc.stringMatching(/^bytes=[0-9,\- ]{0,12}$/u)
    )
    forAll(1_000, text, size, (asked, of) => {
      const found = at(asked, of)
      if (found === undefined || found instanceof RangeNotSatisfiable) return
      expect(found.length).toBeGreaterThan(0)
      expect(found.from).toBeGreaterThanOrEqual(0)
      expect(found.from + found.length).toBeLessThanOrEqual(of)
    })
  })
})
