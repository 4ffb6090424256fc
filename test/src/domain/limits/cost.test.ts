/** What a JSON text costs: its bytes, its values, and the names that are new in it. */
import { expect, it } from "vitest"
import { costOf } from "../../../../src/domain/limits/cost.ts"
import { jsonExtent } from "../../../../src/domain/text/json-extent.ts"
import { freeNames, nameCost, valueCost } from "../../../../src/limits/cost.ts"

const costOfText = (text: string): number => costOf(text.length, jsonExtent(text, 1_000, 1_000_000))
const objects = (number: number, name: (nth: number) => string): string =>
  `[${Array.from({ length: number }, (_, nth) => `{"${name(nth)}":0}`).join(",")}]`

it.each([
  ["a text", JSON.stringify("x".repeat(10_000)), 10_002 + valueCost],
  ["empty objects", `[${"{},".repeat(9)}{}]`, 31 + 11 * valueCost],
  ["objects of one shape", objects(100, () => "name"), 1_101 + 301 * valueCost],
  ["objects with a few names", objects(freeNames, (nth) => `k${nth}`), 9 * 64 - 10 + 1 + 64 + (3 * 64 + 1) * valueCost]
])("%s costs its bytes and %s values", (_, text, cost) => {
  expect(costOfText(text)).toBe(cost)
})

it("each name that is new beyond those costs more, once, or a little more often where many hash alike", () => {
  const text = objects(1_000, (nth) => `name ${nth % 100}`)
  const names = (costOfText(text) - text.length - 3_001 * valueCost) / nameCost + freeNames
  expect(names).toBeGreaterThanOrEqual(100)
  expect(names).toBeLessThan(500)
})

it("a name that is long, written with escapes or followed by blanks is counted likewise", () => {
  const names = (name: (nth: number) => string) => jsonExtent(objects(100, name), 10, 1_000).names
  expect([names((nth) => "x".repeat(100) + nth), names((nth) => `\\u00e9\\"${nth}`)]).toEqual([100, 100])
  expect(jsonExtent('{"a" : 1, "b"\n:{"a" :"b"}}', 10, 100).names).toBe(2)
})
