/** The debug bundle as it may leave. */
import { describe, expect, it } from "vitest"
import { boundBundle, boundSnapshot } from "../../../../src/domain/redaction/debug-bundle.ts"
import { mark } from "../../../../src/domain/redaction/redaction.ts"
import {
  bundleArrayMax,
  bundleDepthMax,
  bundleKeysMax,
  bundleStringCharsMax,
  debugBundleBytesMax
} from "../../../../src/limits.ts"
import { fc, forAll } from "../../../support/properties.ts"
import { planted, secret, secretName, tokens } from "../../../support/secret-shapes.ts"

const nest = (depth: number): unknown => (depth === 0 ? "bottom" : { in: nest(depth - 1) })
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

describe("a debug bundle", () => {
  it("passes whole when small and harmless", () => {
    const bundle = { provider: { type: "x", list: [1, null, true, "a"] }, maxTokens: 4_096, __proto__x: "" }
    expect(boundBundle(bundle, "some text")).toEqual({ bundle, text: "some text" })
  })
  it("is its own text where the daemon gave none", () =>
    expect(boundBundle({ a: 1 }, undefined).text).toBe('{\n  "a": 1\n}'))
  it("is 8 levels deep and no deeper", () => {
    const fits = nest(bundleDepthMax) as Record<string, unknown>
    expect(boundBundle(fits, "")).toEqual({ bundle: fits, text: "" })
    const cut = boundBundle(nest(bundleDepthMax + 1) as Record<string, unknown>, "")
    expect(cut.truncated).toBe(true)
    expect(JSON.stringify(cut.bundle)).toContain('{"in":"[deeper]"}')
  })
  it("keeps 80 elements, 120 members and 16,000 characters", () => {
    const list = Array.from({ length: bundleArrayMax + 1 }, (_, at) => at)
    const many = Object.fromEntries(Array.from({ length: bundleKeysMax + 1 }, (_, at) => [`k${at}`, at]))
    const { bundle, truncated } = boundBundle({ list, many, long: "é".repeat(bundleStringCharsMax + 1) }, "")
    expect(truncated).toBe(true)
    expect(bundle["list"]).toHaveLength(bundleArrayMax)
    expect(Object.keys(bundle["many"] as object)).toHaveLength(bundleKeysMax)
    expect(bundle["long"]).toBe("é".repeat(bundleStringCharsMax))
    const exact = { list: list.slice(1), long: "é".repeat(bundleStringCharsMax) }
    expect(boundBundle(exact, "")).toEqual({ bundle: exact, text: "" })
  })
  it("takes at most 1 MiB together with its text, and says that it was cut", () => {
    const wide = Object.fromEntries(
      Array.from({ length: 120 }, (_, at) => [`k${at}`, Array.from({ length: 80 }, () => "\u0001ü".repeat(7_000))])
    )
    for (const [bundle, text] of [
      [wide, "t".repeat(3_000_000)],
      [wide, "t"],
      [wide, undefined],
      [{ a: 1 }, "\u0001".repeat(3_000_000)]
    ] as const) {
      const cut = boundBundle(bundle, text)
      expect(cut.truncated).toBe(true)
      expect(bytes({ bundle: cut.bundle, text: cut.text })).toBeLessThanOrEqual(debugBundleBytesMax)
      expect(cut.text.length).toBeGreaterThan(0)
      expect(Object.keys(cut.bundle).length).toBeGreaterThan(0)
    }
  })
  it("hides what stands under a secret's name, in a list of names, after an option, and everywhere it is repeated", () => {
    const value = "hunter2-and-more"
    const { bundle, text } = boundBundle(
      {
        password: value,
        credentials: { nested: [value] },
        env: [{ name: "API_KEY", value }],
        argv: ["run", "--token", value],
        header: ["x-api-key", value],
        log: `it said ${value}`,
        [value]: 1,
        tokens: 12,
        tokenSeen: true
      },
      `copy of ${value}`
    )
    expect(JSON.stringify([bundle, text])).not.toContain("hunter2")
    expect(bundle).toMatchObject({ tokens: 12, tokenSeen: true, password: mark, argv: ["run", "--token", mark] })
  })
  it("hides a PEM block that is spread over lines", () => {
    const lines = ["a", "-----BEGIN PRIVATE KEY-----", "MIIEsecretsecret", "-----END PRIVATE KEY-----", "b"]
    const kept = boundBundle({ lines }, "").bundle["lines"]
    expect(kept).toEqual(["a", mark, mark, expect.any(String), "b"])
    expect(JSON.stringify(kept)).not.toContain("MIIE")
  })
  it("does not let a cut halve a secret past knowing", () => {
    for (const token of tokens) {
      for (const shown of [4, 10, 13, 17]) {
        const long = `${" ".repeat(bundleStringCharsMax - shown)}${token}${" x".repeat(20_000)}`
        expect(JSON.stringify(boundBundle({ long }, long))).not.toContain(token.slice(0, Math.min(12, token.length)))
      }
    }
  })
  it("keeps a member called __proto__ a member", () => {
    const given = JSON.parse('{"__proto__": {"polluted": "yes"}, "a": 1}') as Record<string, unknown>
    const { bundle } = boundBundle(given, "")
    expect(Object.keys(bundle)).toEqual(["__proto__", "a"])
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
  })

  const leaf = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    planted.map((piece) => piece.text)
  )
  it("contains no planted secret, wherever it was planted", () => {
    const tree = fc.tuple(secretName, secret, planted, leaf, fc.nat(5), fc.boolean())
    forAll(300, tree, ([name, value, piece, other, depth, asText]) => {
      const secrets = { [name]: value, beside: other, [`at ${piece.text}`]: piece.text, list: [other, piece.text] }
      let bundle: Record<string, unknown> = secrets
      for (let at = 0; at < depth; at++) bundle = at % 2 === 0 ? { down: bundle } : { list: [other, bundle] }
      const left = boundBundle(bundle, asText ? JSON.stringify(bundle, undefined, 2) : piece.text)
      const written = JSON.stringify(left)
      expect(written).not.toContain(value)
      expect(written).not.toContain(piece.secret)
      expect(JSON.stringify(boundSnapshot(bundle))).not.toContain(value)
    })
  })
})
