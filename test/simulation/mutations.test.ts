/** The faults that mutations.ts plants have their places in the product. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "../support/source-files.ts"
import { mutations } from "./mutations/all-mutations.ts"

describe("the faults that are planted in the product", () => {
  it("each have exactly one place there, and a name of their own", () => {
    const lost = mutations.filter(({ file, from }) => readFileSync(join(root, file), "utf8").split(from).length !== 2)
    expect(lost.map(({ name, file }) => `${file}: ${name}`)).toEqual([])
    expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length)
  })
})
