/** What the README says of settings and commands is what the code does. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { adminCommands, ownCommands, passedCommands } from "../../src/cli/grammar.ts"
import { root } from "../support/root.ts"
import { settingsTable } from "./settings-table.ts"

const readme = readFileSync(join(root, "README.md"), "utf8")

describe("the README", () => {
  it("has a row for every setting, word for word as in src/config/table.ts", () => {
    const rows = readme.split("\n").filter((line) => /^\| `(?:HUB_|OTEL_|DATABASE_URL|REDIS_URL)/u.test(line))
    expect(rows).toEqual(settingsTable().split("\n").slice(2))
  })

  it("names every command", () => {
    const named = Object.keys({ ...adminCommands, ...ownCommands, ...passedCommands }).filter((name) => name !== "help")
    expect(named.filter((name) => !readme.includes(`hub ${name}`))).toEqual([])
  })
})
