/** The bench of the limits runs, at a small size; its verdict on a loaded machine is not this test's. */
import { expect, it } from "vitest"
import { measure } from "../../../bench/micro/limits.ts"

it("measures what a limit check costs and what a full bucket weighs", async () => {
  const figures = await measure({ buckets: 50, checks: 1_000, rounds: 5, runs: 2 })
  expect(figures.map(({ name }) => name)).toEqual(expect.arrayContaining(["limit_check_us", "bucket_rss_bytes"]))
  expect(figures.find(({ name }) => name === "buckets_alive")).toMatchObject({ value: 50 })
  for (const { value } of figures) expect(value).toBeGreaterThan(0)
})
