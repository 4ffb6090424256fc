/** docs/changing.md: its examples fit the sources. At night they are compiled and run. */
import { expect, it } from "vitest"
import { documentedChanges } from "./documented-changes.ts"

it("the examples of docs/changing.md change two files for each endpoint, failure and setting, and one for a kind of actor", () => {
  expect([...documentedChanges().keys()]).toEqual([
    "http/api/system.ts",
    "http/routes/system.ts",
    "src/errors.ts",
    "http/api/problems.ts",
    "src/config/settings.ts",
    "src/config/table.ts",
    "src/limits/actors.ts"
  ])
})
