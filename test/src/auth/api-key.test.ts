/** API keys as text: what is one, what is junk. Owns no store. */
import { describe, expect, it } from "vitest"
import { hashCredential, isKey, makeKey, shownPrefix } from "../../../src/auth/api-key.ts"
import { fc, forAll } from "../../support/properties.ts"

describe("an API key", () => {
  it("is hub_ and 36 base62 characters, and passes its own check", () => {
    for (let made = 0; made < 1_000; made++) {
      const key = makeKey()
      expect(key).toMatch(/^hub_[0-9A-Za-z]{36}$/u)
      expect(isKey(key)).toBe(true)
    }
  })

  it("is refused when any one character was mistyped", () => {
    const key = makeKey()
    for (let at = 0; at < key.length; at++) {
      const typo = key.slice(0, at) + (key[at] === "x" ? "y" : "x") + key.slice(at + 1)
      expect(isKey(typo), `at ${at}`).toBe(false)
    }
  })

  it("is not any other text", () => {
    forAll(fc.string(), (text) => !isKey(text))
    for (const junk of [
      "",
      "hub_",
      `hub_${"a".repeat(36)}`,
      `${makeKey()}\n`,
      makeKey().toLowerCase(),
      "x".repeat(10_240)
    ]) {
      expect(isKey(junk)).toBe(false)
    }
  })

  it("is stored as SHA-256 and shown by its first 12 characters", () => {
    expect(hashCredential("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    const key = makeKey()
    expect(shownPrefix(key)).toBe(key.slice(0, 12))
  })
})
