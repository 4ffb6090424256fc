/** The bench of the limits runs, at a small size; its verdict on a loaded machine is not this test's. */
import { expect, it } from "vitest"
import { limits } from "../../../bench/limits.ts"

it("measures what a limit check costs and what full buckets weigh", async () => {
  const figures = await limits(50, 1_000)
  expect(figures.map(({ name }) => name)).toContain("process with 50 full buckets")
  expect(figures.at(-1)).toMatchObject({ name: "buckets alive", value: 50 })
  for (const { value } of figures) expect(value).toBeGreaterThan(0)
})
