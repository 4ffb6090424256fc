/** The envelope of a frame that is not parsed is the one that parsing would find. */
import { expect, test } from "vitest"
import { readEnvelope } from "../../../src/protocol/envelope.ts"
import { fc, forAll } from "../../support/properties.ts"

/** By parsing. */
const envelopeOf = (text: string) => {
  const { type, data } = JSON.parse(text) ?? {}
  if (typeof type !== "string" || typeof data !== "object" || data === null || Array.isArray(data)) return undefined
  return { type, data: typeof data.id === "string" ? { id: data.id } : {} }
}

const word = fc.oneof(fc.constantFrom("type", "data", "id", '"', "\\", '{"id":"x"'), fc.string())
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    word,
    fc.constantFrom(null, 7),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(word, tie("value")), { maxLength: 4 })
  )
})).value
const blanks = fc.constantFrom("", " ", "\n\t")

/** An object as text, with whatever members twice. */
const object = (entries: ReadonlyArray<readonly [string, string]>, blank: string): string =>
  `{${blank}${entries.map(([name, text]) => `"${name}"${blank}:${blank}${text}`).join(`${blank},`)}}${blank}`

const anything = fc.oneof(value, fc.jsonValue()).map((given) => JSON.stringify(given))
const data = fc
  .tuple(fc.array(fc.tuple(fc.constantFrom("id", "type", "result", "data"), anything), { maxLength: 5 }), blanks)
  .map(([entries, blank]) => object(entries, blank))
const frame = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.tuple(fc.constant("data"), fc.oneof(data, anything)),
        fc.tuple(fc.constantFrom("type", "id", "more"), anything)
      ),
      { maxLength: 6 }
    ),
    blanks
  )
  .map(([entries, blank]) => object(entries, blank))

test("is what parsing finds, whatever the order, the strings and the members given twice", () =>
  forAll(500, fc.oneof({ weight: 4, arbitrary: frame }, anything), (text) => {
    expect(readEnvelope(text)).toEqual(envelopeOf(text))
  }))

test("is none where the text ends too early, and never an exception", () => {
  const whole = '{"data":{"result":[{},{}],"id":"c"},"type":"command_result"}'
  expect(readEnvelope(whole)).toEqual({ type: "command_result", data: { id: "c" } })
  for (let to = 0; to < whole.length; to++) expect(readEnvelope(whole.slice(0, to))).toBeUndefined()
})
