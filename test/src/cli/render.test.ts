/** What the command line prints: answers as a person reads them, failures as one sentence. */
import { Cause } from "effect"
import { describe, expect, it } from "vitest"
import { sentence } from "../../../src/cli/failure-sentence.ts"
import { UsageFailed } from "../../../src/cli/parse.ts"
import { asJson, asTable } from "../../../src/cli/render.ts"
import { StoreFailed } from "../../../src/errors.ts"
import { anyText, fc, forAll } from "../../support/properties.ts"

const table = (answer: Record<string, unknown>): ReadonlyArray<string> => asTable()(answer, true).trimEnd().split("\n")

describe("an answer", () => {
  it("is one member a line", () => expect(table({ id: "key_1", key: "hub_2" })).toEqual(["id  key_1", "key  hub_2"]))

  it("is a table when it is a list, with a dash for what is not there", () => {
    const rows = [
      { id: "a", scopes: ["ide:read", "agent:read"], name: "" },
      { id: "bbb", scopes: [], name: null }
    ]
    expect(table({ apiKeys: rows })).toEqual([
      "id   scopes               name",
      "a    ide:read,agent:read  -",
      "bbb  -                    -"
    ])
  })

  it("says so when a list is empty", () => expect(table({ apiKeys: [] })).toEqual(["no apiKeys"]))

  it("shows controls and invisible characters as their codes", () => {
    const name = "\u001b[2J\u0007\n\u009b1m\u202egnp\u200b\u{e0041}\u2028 ünï 機 \ud800"
    const shown = "\\u{1b}[2J\\u{7}\\u{a}\\u{9b}1m\\u{202e}gnp\\u{200b}\\u{e0041}\\u{2028} ünï 機 \\u{d800}"
    expect(table({ name, list: [name] })).toEqual([`name  ${shown}`, `list  ${shown}`])
    expect(table({ daemons: [{ name }] })).toEqual(["name", shown])
  })

  it("has no control or invisible character in its plain form or as JSON, whatever others wrote", () => {
    const any = fc.record({ name: anyText(), more: fc.array(anyText()) })
    const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
    forAll(fc.array(any, { minLength: 1 }), (rows) => {
      const json = asJson()({ rows }, true)
      expect(JSON.parse(json)).toEqual({ rows })
      return !unseen.test(json) && !unseen.test(asTable()({ rows }, true)) && json.indexOf("\n") === json.length - 1
    })
  })

  it("is one JSON object and one table, into whatever pages it is cut", () => {
    const pages = fc.array(fc.array(fc.record({ id: fc.nat(), name: fc.string() }), { maxLength: 3 }), { minLength: 1 })
    forAll(pages, (cut) => {
      const [json, text] = [asJson(), asTable()]
      const all = cut.flat()
      const made = (render: typeof json) => cut.map((rows, at) => render({ rows }, at === cut.length - 1)).join("")
      expect(JSON.parse(made(json))).toEqual({ rows: all })
      expect(made(text).trimEnd().split("\n")).toHaveLength(Math.max(1, all.length === 0 ? 1 : all.length + 1))
    })
  })
})

describe("a failure", () => {
  it("is what could not be done and what lies under it, each word once", () => {
    const cause = new Error("connection refused", { cause: new Error("connection refused") })
    expect(sentence(Cause.fail(new StoreFailed({ operation: "list accounts", cause })))).toBe(
      "the store did not list accounts: connection refused"
    )
  })

  it("is its own sentence where it has one, and text where it is no error", () => {
    expect(sentence(Cause.fail(new UsageFailed({ sentence: "no such flag" })))).toBe("no such flag")
    expect(sentence(Cause.fail("gone"))).toBe("gone")
  })

  it("keeps its stack when it is a bug", () =>
    expect(sentence(Cause.die(new Error("bug")))).toContain("render.test.ts"))
})
