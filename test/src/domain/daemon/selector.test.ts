/** Which daemons a selector means. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { bothOf, matches, readSelector, type Selector, selectorText } from "../../../../src/domain/daemon/selector.ts"
import { type Tagged, tagsOf } from "../../../../src/domain/daemon/tags.ts"
import { selectorCharsMax, selectorTermsMax } from "../../../../src/limits.ts"
import { fc, forAll } from "../../../support/properties.ts"

const fleet: Readonly<Record<string, Tagged>> = {
  web: { tags: { env: "prod", region: "eu" } },
  gpu: { tags: { env: "prod", gpu: "", region: "us" } },
  spot: { tags: { env: "prod", gpu: "", spot: "" }, ownerTags: { tags: { env: "test" }, version: 3 } },
  bare: {}
}

const meant = (text: string): ReadonlyArray<string> => {
  const selector = Result.getOrThrow(readSelector(text))
  return Object.keys(fleet).filter((name) => matches(selector, fleet[name]!))
}

const key = fc.constantFrom("env", "gpu", "a", "b", "constructor", "x/y.z-1_")
const value = fc.constantFrom("", "prod", "a=b", "ü", "!x", "true")
const tags = fc.dictionary(key, value)
const tagged = fc
  .record({ tags, owner: tags })
  .map(({ tags, owner }): Tagged => ({ tags, ownerTags: { tags: owner, version: 1 } }))
const term = fc.record({
  key,
  is: fc.constantFrom("equal" as const, "different" as const, "there" as const, "missing" as const),
  value
})
const selector = fc
  .array(term, { maxLength: selectorTermsMax })
  .map(
    (terms): Selector => terms.map((one) => (one.is === "there" || one.is === "missing" ? { ...one, value: "" } : one))
  )

describe("a selector", () => {
  it.each([
    ["", ["web", "gpu", "spot", "bare"]],
    ["env=prod", ["web", "gpu"]],
    [" env = prod , gpu ", ["gpu"]],
    ["env==prod,!gpu", ["web"]],
    ["region!=eu", ["gpu", "spot", "bare"]],
    ["gpu=", ["gpu", "spot"]],
    ["env=prod,gpu,!spot,region!=eu", ["gpu"]],
    ["constructor", []]
  ])("%j means the daemons that have all of it", (text, names) => expect(meant(text)).toEqual(names))

  it.each([",", "env=prod,", "=prod", "!", "Env=prod", "env=a\u0000", "!env=prod", "a b", "-a", `k=${"v".repeat(64)}`])(
    "%j is refused",
    (text) => {
      expect(Result.isFailure(readSelector(text))).toBe(true)
    }
  )

  it("has so many terms and characters at most", () => {
    const terms = Array.from({ length: selectorTermsMax }, (_, at) => `k${at}`)
    expect(Result.isSuccess(readSelector(terms.join(",")))).toBe(true)
    expect(Result.isFailure(readSelector([...terms, "more"].join(",")))).toBe(true)
    expect(Result.isFailure(readSelector(`a${" ".repeat(selectorCharsMax)}`))).toBe(true)
  })

  it("is read again as it is written", () =>
    forAll(selector, (given) => {
      expect(Result.getOrThrow(readSelector(selectorText(given)))).toEqual(given)
    }))

  it("means what a look at each of its terms means, of the tags that count", () =>
    forAll(selector, tagged, (given, one) => {
      const counted = new Map(Object.entries(tagsOf(one)))
      const each = given.every(({ key, is, value }) => {
        if (is === "there") return counted.has(key)
        if (is === "missing") return !counted.has(key)
        return (is === "equal") === (counted.get(key) === value)
      })
      expect(matches(given, one)).toBe(each)
    }))

  it("joined with another means what both mean", () => {
    forAll(selector, selector, tagged, (one, other, daemon) => {
      expect(matches(bothOf(one, other)!, daemon)).toBe(matches(one, daemon) && matches(other, daemon))
    })
    expect(bothOf(undefined, undefined)).toBeUndefined()
    const of = (text: string) => Result.getOrThrow(readSelector(text))
    expect(selectorText(bothOf(of("env=prod,gpu"), of("gpu,!spot"))!)).toBe("env=prod,gpu,!spot")
  })
})
