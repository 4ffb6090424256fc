/** The words of `./hub test`. */
import { describe, expect, it } from "vitest"
import { readCommandLine, usage } from "./command-line.ts"

const plain = { tier: "gate", files: [], related: false, name: undefined, seed: undefined, more: [] }

describe("the words of the test command", () => {
  it.each([
    ["", plain],
    ["--fast", { ...plain, tier: "fast" }],
    ["--night", { ...plain, tier: "night" }],
    ["test/a.test.ts b", { ...plain, files: ["test/a.test.ts", "b"] }],
    ["test/soak.night.faults.test.ts", { ...plain, tier: "night", files: ["test/soak.night.faults.test.ts"] }],
    ["--related src/a.ts", { ...plain, related: true, files: ["src/a.ts"] }],
    ["-t name a --seed=-7", { ...plain, name: "name", files: ["a"], seed: -7 }],
    [
      "--project rules --project postgres -u",
      { ...plain, more: ["--project", "rules", "--project", "postgres", "--update=all"] }
    ]
  ])("%j is understood", (words, asked) =>
    expect(readCommandLine(words.split(" ").filter((word) => word !== ""))).toEqual(asked)
  )

  it.each([
    ["--fsat", "Unknown option '--fsat'"],
    ["--seed many", "--seed takes a whole number, not many"],
    ["--fast --night", "--fast and --night do not go together"],
    ["--related", "--related takes the files that changed"]
  ])("%j is refused with a sentence and the usage", (words, sentence) =>
    expect(readCommandLine(words.split(" "))).toBe(`${sentence}\n${usage}`)
  )

  it("asks for the usage by --help", () => expect(readCommandLine(["--help"])).toBe(usage))
})
