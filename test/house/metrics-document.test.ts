/** What docs/metrics.md says of the hub's metrics is what the code counts. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { histograms } from "../../src/runtime/histograms.ts"
import { root } from "../support/root.ts"
import { metricsRows } from "./metrics-table.ts"

const text = readFileSync(join(root, "docs/metrics.md"), "utf8")

describe("docs/metrics.md", () => {
  it("has a row for every counter and gauge, word for word as in src/runtime/metrics.ts", () => {
    expect(text.split("\n").filter((line) => metricsRows().includes(line))).toEqual(metricsRows())
  })

  it("names every histogram", () => {
    expect(Object.keys(histograms).filter((name) => !text.includes(`\`${name}\``))).toEqual([])
  })
})
