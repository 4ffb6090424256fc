/** What the command line prints: answers as a person reads them, failures as one sentence. */
import { Cause } from "effect"
import { describe, expect, it } from "vitest"
import { UsageFailed } from "../../../src/cli/parse.ts"
import { render } from "../../../src/cli/render.ts"
import { sentence } from "../../../src/cli/sentence.ts"
import { StoreFailed } from "../../../src/errors.ts"

describe("an answer", () => {
  it("is one member a line", () => {
    expect(render({ id: "key_1", key: "hub_2" })).toEqual(["id  key_1", "key  hub_2"])
  })

  it("is a table when it is a list, with a dash for what is not there", () => {
    const rows = [
      { id: "a", scopes: ["ide:read", "agent:read"], name: "" },
      { id: "bbb", scopes: [], name: null }
    ]
    expect(render({ apiKeys: rows })).toEqual([
      "id   scopes               name",
      "a    ide:read,agent:read  -",
      "bbb  -                    -"
    ])
  })

  it("says so when a list is empty", () => {
    expect(render({ apiKeys: [] })).toEqual(["no apiKeys"])
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

  it("keeps its stack when it is a bug", () => {
    expect(sentence(Cause.die(new Error("bug")))).toContain("print.test.ts")
  })
})
