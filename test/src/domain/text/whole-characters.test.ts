/** The repair of JSON text says what a reviver over each parsed text would. */
import { expect, test } from "vitest"
import { withWholeCharacters } from "../../../../src/domain/text/whole-characters.ts"
import { fc, forAll } from "../../../support/properties.ts"

const part = fc.constantFrom(
  ...["\\ud83d", "\\uDE00", "\\udbff", "\\uDFFF", "\\ud83d\\ude00", "\\\\", "\\n", '\\"', "ud83d", "\\u00e9", "é", "😀"]
)
const wellFormed = (_: string, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value)

test("a half of a character in a text of JSON becomes a replacement, and all else stays", () => {
  const text = fc.array(part, { maxLength: 12 }).map((parts) => `["${parts.join("")}"]`)
  forAll(text, (given) => {
    expect(JSON.parse(withWholeCharacters(given))).toEqual(JSON.parse(given, wellFormed))
  })
})

test("what is no JSON does not become JSON", () => {
  for (const given of ['"\\ud8"', '"\\ud8zz"', '"\\ud83d', '\\ud83d"', '"\\'])
    expect(() => JSON.parse(withWholeCharacters(given))).toThrow(SyntaxError)
})
