/** docs/changing.md: its examples fit the sources. At night they are compiled and run. */
import { expect, it } from "vitest"
import { documentedChanges } from "./documented-changes.ts"

it("the examples of docs/changing.md change two files for each endpoint and failure, and one for a setting and a kind of actor", () => {
  expect([...documentedChanges().keys()]).toEqual([
    "http/api/system.ts",
    "http/routes/system.ts",
    "src/errors.ts",
    "http/api/problems.ts",
    "src/config/table.ts",
    "src/limits/actors.ts"
  ])
})
