/**
 * Values that programs stumble over: texts, numbers, and JSON that no serializer writes. Owns the lists; sends nothing.
 */
import type { Random } from "./random.ts"

const texts = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udc00\ud800",
  "\u202etxt.exe",
  "\ufeff",
  "\uffff",
  "e\u0301\u0301\u0301\u0301",
  "👩‍👩‍👧‍👦",
  "İıſK",
  "\r\nX-Injected: 1\r\n\r\n",
  "\u2028\u2029",
  "\u001b[2J\u0007",
  "..",
  "../../../../etc/passwd",
  "..\\..\\",
  "%00",
  "%ff",
  "%",
  "%2e%2e%2f",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "null",
  "undefined",
  "NaN",
  "true",
  "-0",
  "1e309",
  "0x10",
  "9007199254740993",
  "' OR ''='",
  "'; DROP TABLE accounts; --",
  "$1",
  "{{7*7}}",
  "<script>alert(1)</script>",
  "=1+1",
  "http://127.0.0.1:1/",
  "http://[::1]:1/",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "a@b",
  "a,b",
  "a=b",
  "a=b,c!=d,e in (f",
  "!a",
  "2026-02-30T25:61:61Z",
  "-1",
  "*"
]

const lengths = [63, 64, 65, 127, 128, 129, 255, 256, 257, 1_023, 1_024, 1_025, 4_096, 4_097]
const rareLengths = [16_385, 32_769, 65_536, 262_145]
const fills = ["x", "é", "𝒳", "\u0001", "a ", "\\", '"', "/"]

/** A text of a bad kind. */
export const badText = (random: Random): string => {
  if (random.percent(70)) return random.of(texts)
  if (random.percent(50)) return random.bytes(random.between(1, 24)).toString("latin1")
  const length = random.of(random.percent(97) ? lengths : rareLengths)
  const fill = random.of(fills)
  return fill.repeat(Math.ceil(length / fill.length)).slice(0, length)
}

const numbers = [
  0,
  -0,
  -1,
  0.1,
  1.5,
  255,
  256,
  65_536,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e21,
  1e308,
  -1e308,
  5e-324
]

const opening = "@@json:"
const ending = "@@"
const standsForJson = new RegExp(`"${opening}([^"]*)${ending}"`, "gu")

/** Stands for text that `jsonText` writes as it is. It has no quotation mark. */
export const asJson = (text: string): string => `${opening}${text}${ending}`

/** A value as JSON, with what stands for JSON put in. */
export const jsonText = (value: unknown): string =>
  (JSON.stringify(value) ?? "null").replace(standsForJson, (_, text: string) => text)

const nested = (random: Random): string => {
  const depth = random.percent(90) ? random.of([8, 127, 128, 129, 200]) : random.of([1_000, 20_000])
  return asJson(`${"[".repeat(depth)}${"]".repeat(depth)}`)
}

const many = (random: Random): string => {
  const count = random.percent(97) ? random.of([17, 33, 65, 257, 1_001]) : random.of([4_999, 20_001, 30_000])
  return asJson(`[${"0,".repeat(count)}0]`)
}

const numberTexts = ["1e999", "-1e999", "1".repeat(400), "1E+2", "-0.0", "0.1e-7", "01", "+1", ".5", "1.", "-", "NaN"]

/** A value of any type, as a body or a frame may have it. */
export const badValue = (random: Random): unknown => {
  switch (random.below(12)) {
    case 0:
      return null
    case 1:
      return random.percent(50)
    case 2:
    case 3:
      return random.of(numbers)
    case 4:
    case 5:
    case 6:
      return badText(random)
    case 7:
      return {}
    case 8:
      return random.percent(50) ? [] : [badText(random), random.of(numbers), null]
    case 9:
      return { [badText(random)]: badText(random), ["__proto__"]: 1, constructor: { prototype: null } }
    case 10:
      return nested(random)
    default:
      return random.percent(50) ? many(random) : asJson(random.of(numberTexts))
  }
}
