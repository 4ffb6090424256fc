/** Secrets at rest: what opens and, above all, what does not. */
import { randomBytes } from "node:crypto"
import { describe, expect, it } from "vitest"
import { makeSeal } from "../../../src/auth/secret-box.ts"
import { anyText, fc, forAll } from "../../support/properties.ts"

const seal = makeSeal(new Uint8Array(32).fill(7))

describe("a sealed secret", () => {
  it("opens to what was sealed, for what it belongs to", () =>
    forAll(anyText(), fc.string(), (secret, belongs) => {
      expect(seal.open(seal.seal(secret, belongs), belongs)).toBe(secret)
    }))

  it("is another text each time, and never shows the secret", () => {
    const texts = new Set(Array.from({ length: 100 }, () => seal.seal("whsec_secret", "webhook whk_1")))
    expect(texts.size).toBe(100)
    for (const text of texts) expect(text).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/u)
  })

  it("does not open for another row", () =>
    expect(() => seal.open(seal.seal("secret", "webhook a"), "webhook b")).toThrow())

  it("does not open under another key, and names the key it was sealed under", () => {
    const other = makeSeal(randomBytes(32))
    expect(() => other.open(seal.seal("secret", "row"), "row")).toThrow(`sealed under key ${seal.keyId}`)
  })

  it("is sealed under the first of several keys, and opens under each", () => {
    const [older, newer] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)]
    const both = makeSeal(new Uint8Array([...newer, ...older]))
    expect(both.keyIds).toEqual([makeSeal(newer).keyId, seal.keyId])
    expect(both.open(seal.seal("secret", "row"), "row")).toBe("secret")
    expect(makeSeal(newer).open(both.seal("secret", "row"), "row")).toBe("secret")
    expect(() => seal.open(both.seal("secret", "row"), "row")).toThrow(`sealed under key ${both.keyId}`)
    expect(both.derive("purpose", "owner")).toEqual(makeSeal(newer).derive("purpose", "owner"))
  })

  it("does not open when a single character was changed", () => {
    const text = seal.seal("secret", "row")
    for (let at = 0; at < text.length; at++) {
      const changed = text.slice(0, at) + (text[at] === "A" ? "E" : "A") + text.slice(at + 1)
      expect(() => seal.open(changed, "row"), `at ${at}`).toThrow()
    }
  })

  it("does not open from junk", () => {
    for (const junk of ["", "v1", "v1.a.b.c", `v1.${seal.keyId}.AAAA.AAAA`, `v2.${seal.keyId}.AAAA.AAAA`])
      expect(() => seal.open(junk, "row")).toThrow()
  })
})
