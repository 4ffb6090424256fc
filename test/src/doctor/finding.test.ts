/** How findings show their numbers. */
import { expect, it } from "vitest"
import { grouped } from "../../../src/doctor/finding.ts"

it.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [1_048_576, "1,048,576"],
  [-12_345, "-12,345"],
  [4_096.4, "4,096"]
])("shows %d as %s", (count, shown) => expect(grouped(count)).toBe(shown))
