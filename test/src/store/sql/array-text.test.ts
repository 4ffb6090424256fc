/** Arrays as texts: node-postgres writes the same array. */
import { createRequire } from "node:module"
import { expect, it } from "vitest"
import { arrayText, type Element } from "../../../../src/store/sql/array-text.ts"

const { prepareValue } = createRequire(import.meta.url)("pg/lib/utils") as {
  readonly prepareValue: (value: unknown) => string
}

/** Without the quotes that node-postgres puts around numbers and booleans too. */
const bare = (text: string): string => text.replaceAll(/"(-?\d+|true|false)"/gu, "$1")

it.each<ReadonlyArray<Element>>([
  [],
  ["a", "", "null", "NULL", "a,b", "{}", " "],
  ['"', "\\", '\\"', '{"a":"\\n"}', "é€😀", "line\nline"],
  [null, null],
  [1, -2, 1790000000000],
  [true, false, null]
])("an array's text is that of node-postgres: %#", (...values) =>
  expect(bare(arrayText(values, (value) => value))).toBe(bare(prepareValue(values)))
)
