/** The sizes at which the bench scenario command measures how a command's cost grows. */
import { expect, it } from "vitest"
import { growthSizes } from "../../../bench/scenarios/command.ts"

const options = { seconds: 1, runs: 1, pinned: false, database: "postgres", say: () => {} } as const
it("the growth of a command's cost is measured at 100 and 15,000 daemons, or at what --daemons says and a tenth of it", () => {
  expect(growthSizes(options)).toEqual({ small: 100, large: 15_000 })
  expect(growthSizes({ ...options, daemons: 200 })).toEqual({ small: 20, large: 200 })
  expect(growthSizes({ ...options, daemons: 9 })).toContain("needs --daemons 10 or more")
})
