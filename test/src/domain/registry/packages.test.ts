/** Package names and the order of versions. */
import { compare } from "semver"
import { describe, expect, it } from "vitest"
import { channelOf, isPackageType, isPackageVersion, precedence } from "../../../../src/domain/registry/packages.ts"
import { fc, forAll } from "../../../support/properties.ts"

const number = fc.oneof(fc.nat(20), fc.maxSafeNat())
const word = fc.stringMatching(/^[0-9A-Za-z-]{1,6}$/u).filter((text) => !/^0\d+$/u.test(text))
const version = fc
  .tuple(number, number, number, fc.array(fc.oneof(word, fc.nat(12).map(String)), { maxLength: 3 }))
  .map(([major, minor, patch, tags]) => `${major}.${minor}.${patch}${tags.length === 0 ? "" : `-${tags.join(".")}`}`)
  .filter(isPackageVersion)

describe("a package version", () => {
  it("sorts by its precedence text exactly as SemVer orders it", () =>
    forAll(2_000, version, version, (a, b) => {
      const [left, right] = [precedence(a), precedence(b)]
      expect(left < right ? -1 : left > right ? 1 : 0).toBe(compare(a, b))
    }))

  it.each(["1.0.0", "0.0.1-alpha.1", "10.20.30-rc.1"])("is %s", (text) => expect(isPackageVersion(text)).toBe(true))

  it.each(["1.0", "v1.0.0", "1.0.0+build", "01.0.0", " 1.0.0", "", "1.0.0-01", `1.0.0-${"a".repeat(80)}`])(
    "is not %j",
    (text) => expect(isPackageVersion(text)).toBe(false)
  )
})

describe("a package type", () => {
  it.each(["cursor", "claude-code", "0a.b_c"])("is %s", (text) => expect(isPackageType(text)).toBe(true))
  it.each(["", "Cursor", "-a", "a/b", "a".repeat(65), "ä"])("is not %j", (text) =>
    expect(isPackageType(text)).toBe(false)
  )
})

it("a channel is preview by that word alone", () => {
  expect([channelOf("preview"), channelOf(undefined), channelOf("beta"), channelOf("Preview")]).toEqual([
    "preview",
    "stable",
    "stable",
    "stable"
  ])
})
