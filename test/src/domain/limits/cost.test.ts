/** What a JSON text costs: its bytes, its values and containers, and the names that are new in it. */
import { expect, it } from "vitest"
import { costOf } from "../../../../src/domain/limits/cost.ts"
import { jsonExtent } from "../../../../src/domain/text/json-extent.ts"
import { containerCost, digitCost, freeNames, nameCost, repairCost, valueCost } from "../../../../src/limits/cost.ts"
import { extentOf } from "../../../../src/protocol/codec.ts"
import { fc } from "../../../support/properties.ts"

const costOfText = (text: string): number => costOf(text.length, jsonExtent(text, 1_000, 1_000_000))
const objects = (number: number, name: (nth: number) => string): string =>
  `[${Array.from({ length: number }, (_, nth) => `{"${name(nth)}":0}`).join(",")}]`

it.each([
  { of: "a text", text: JSON.stringify("x".repeat(10_000)), values: 1, containers: 0 },
  { of: "empty objects", text: `[${"{},".repeat(9)}{}]`, values: 11, containers: 11 },
  { of: "objects of one shape", text: objects(100, () => "name"), values: 301, containers: 101 },
  { of: "a few names", text: objects(freeNames, (nth) => `k${nth}`), values: 3 * freeNames + 1, containers: 65 }
])("$of: its bytes, $values values and $containers containers", ({ text, values, containers }) =>
  expect(costOfText(text)).toBe(text.length + values * valueCost + containers * containerCost)
)

it("a digit beyond those that the engine reads at once costs more", () => {
  const text = (digits: number): string => "1".repeat(digits)
  expect(costOfText(text(700)) - costOfText(text(600))).toBe(100 * (1 + digitCost))
})

it("a frame with the escape of half a character costs more for each of its characters, as it is looked through for such", () => {
  const cost = (text: string): number => costOf(text.length, extentOf(text))
  const [plain, odd] = ["\\u00e9", "\\ud800"].map((escape) => `"${escape.repeat(100)}"`)
  expect(cost(odd!) - cost(plain!)).toBe(odd!.length * repairCost)
})

it("each name that is new beyond those costs more, once, or a little more often where many hash alike", () => {
  const text = objects(1_000, (nth) => `name ${nth % 100}`)
  const names = (costOfText(text) - text.length - 3_001 * valueCost - 1_001 * containerCost) / nameCost + freeNames
  expect(names).toBeGreaterThanOrEqual(100)
  expect(names).toBeLessThan(500)
})

it("a name that is long, written with escapes or followed by blanks is counted likewise", () => {
  const names = (name: (nth: number) => string) => jsonExtent(objects(100, name), 10, 1_000).names
  expect([names((nth) => "x".repeat(100) + nth), names((nth) => `\\u00e9\\"${nth}`)]).toEqual([100, 100])
  expect(jsonExtent('{"a" : 1, "b"\n:{"a" :"b"}}', 10, 100).names).toBe(2)
})

it("a name is no new one for the long texts beside it", () => {
  const text = JSON.stringify(Array(100).fill({ id: "a", text: "x".repeat(100) }))
  expect(jsonExtent(text, 10, 1_000).names).toBe(2)
})

it("two names in turn are new once each, wherever their hashes put them", () => {
  // each scan hashes with another start, so that many scans meet every neighbourhood
  const turns = objects(4, (nth) => ["a", "b"][nth % 2]!)
  expect(Math.max(...Array.from({ length: 20_000 }, () => jsonExtent(turns, 10, 1_000).names))).toBe(2)
})

it("known names in another order are new, as the engine makes a form of object for each order", () => {
  const inOrder = (names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, 0]))
  const orders = fc.sample(fc.shuffledSubarray([..."abcdefghij"], { minLength: 10 }), 100)
  const names = (given: ReadonlyArray<object>) => jsonExtent(JSON.stringify(given), 10, 10_000).names
  expect(names(orders.map(inOrder))).toBeGreaterThan(500)
  // ten, or three of them again each time where they share a set (one process of 2,000)
  expect(names(orders.map(() => inOrder([..."abcdefghij"])))).toBeLessThan(500)
})
