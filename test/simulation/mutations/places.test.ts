/** The faults that run-mutations.ts plants have their places in the product. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { root } from "../../support/root.ts"
import { mutations } from "./all-mutations.ts"
import { changesOf } from "./mutation.ts"

it("the faults that are planted in the product each have exactly one place there, and a name of their own", () => {
  const lost = mutations.flatMap((mutation) =>
    changesOf(mutation).flatMap(({ file, from }) =>
      readFileSync(join(root, file), "utf8").split(from).length === 2 ? [] : [`${file}: ${mutation.name}`]
    )
  )
  expect(lost).toEqual([])
  expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length)
})
