/** How deep a JSON text nests and how many values it holds: as its value does, whatever its strings hold. */
import { expect, test } from "vitest"
import { jsonExtent } from "../../../../src/domain/text/json-extent.ts"
import { fc, forAll } from "../../../support/properties.ts"

const jsonDepth = (text: string, enough: number): number => jsonExtent(text, enough, text.length).depth

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

const valuesOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce((sum: number, one) => sum + valuesOf(one) + (Array.isArray(value) ? 0 : 1), 1)
    : 1

/** As JSON with space wherever there may be some, in what is empty too. */
const spaced = (value: unknown, space: string): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const inside = Array.isArray(value)
    ? value.map((one) => spaced(one, space))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}${space}:${space}${spaced(one, space)}`)
  const all = space + inside.join(`${space},${space}`) + space
  return Array.isArray(value) ? `[${all}]` : `{${all}}`
}

/** Texts whose closing quote is hard to tell: quotes, backslashes and brackets, also far behind the beginning. */
const tricky = fc
  .tuple(fc.nat({ max: 140 }), fc.array(fc.constantFrom("\\", '"', "[", "{", "]", "}", "\n", "a", "é", "😀")))
  .map(([plain, signs]) => "x".repeat(plain) + signs.join(""))

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    tricky,
    fc.constantFrom(null, true, 1.5),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(tricky, tie("value"), { maxKeys: 4 })
  )
}))

test("the depth of a text is that of its value, counted up to just past enough", () =>
  forAll(value, fc.nat({ max: 6 }), (given, enough) => {
    const text = JSON.stringify(given)
    const depth = depthOf(given)
    if (depth <= enough) expect(jsonDepth(text, enough)).toBeLessThanOrEqual(enough)
    else expect(jsonDepth(text, enough)).toBe(enough + 1)
    if (text.length > enough && depth <= enough) expect(jsonDepth(text, enough)).toBe(depth)
  }))

test("the values of a text are those that parsing it gives and the names of members, however it is spaced, counted up to just past enough", () =>
  forAll(value, fc.constantFrom("", " ", "\n\t"), fc.integer({ min: 1, max: 12 }), (given, space, enough) => {
    const text = spaced(given, space)
    const values = valuesOf(JSON.parse(text))
    expect(jsonExtent(text, text.length, text.length)).toMatchObject({ depth: depthOf(given), values })
    expect(jsonExtent(text, text.length, enough).values).toBe(Math.min(values, enough + 1))
  }))

test("of a number of more than 18 digits those beyond count and 24 more, wherever it stands; of others none", () => {
  const digits = (text: string) => jsonExtent(text, 100, 100).digits
  const [quick, slow] = ["1".repeat(18), "1".repeat(20)]
  const few = [quick, `-0.000${quick}`, `${quick.slice(4)}.5e-300`, `"${slow}"`, "0".repeat(40), "true", "null"]
  for (const one of few)
    for (const text of [one, `[${one},${one}]`, `{"a":${one}}`, `[\n${" ".repeat(40)}${one}${" ".repeat(40)}]`])
      expect(digits(text)).toBe(0)
  for (const text of [slow, `[${slow}]`, `{"a":${slow}}`, `[1,-0.00${slow} ]`, `[[],${slow},"x"]`, ` ${slow}`])
    expect(digits(text)).toBe(2 + 24)
  expect(digits(`[${slow},${slow}]`)).toBe(2 * (2 + 24))
})

test("a long string is no depth, whatever closes it or seems to", () => {
  const long = "x".repeat(500)
  for (const text of [`${long}\\`, `${long}\\"[`, `\\${long}"`, `${long}"]${long}[{`, "\\".repeat(501)])
    expect(jsonDepth(JSON.stringify([text, [text]]), 100)).toBe(2)
})
