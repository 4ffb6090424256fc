/** The line that runs a failed test again. */
import { describe, expect, it } from "vitest"
import { againLine } from "./reporter.ts"

describe("what runs a failed test again", () => {
  it("names file, project and test, escaped for the shell and for a pattern", () => {
    expect(againLine("rules", "test/a.test.ts", "it's (a) test", "AssertionError")).toMatch(
      /^\.\/hub test test\/a\.test\.ts --project rules -t 'it'\\''s \\\(a\\\) test'(?: --seed -?\d+)?$/u
    )
  })

  it("bears the seed that the failure tells", () => {
    const said = 'Property failed after 3 tests\n{ seed: -1724, path: "2", endOnFailure: true }'
    expect(againLine("rules", "test/a.test.ts", "a test", said)).toMatch(/ --seed -1724$/u)
  })

  it("names the file alone where no test of it failed", () => {
    expect(againLine("postgres", "test/a.test.ts", undefined, "")).toMatch(
      /^\.\/hub test test\/a\.test\.ts --project postgres/u
    )
  })
})
