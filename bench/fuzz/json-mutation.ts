/**
 * Changes of JSON: of a value at any of its places, and of its text. Owns what may change; sends nothing.
 */
import type { Random } from "./random.ts"
import { badText, badValue, jsonText } from "./values.ts"

type Holder = Record<string | number, unknown>
type Place = readonly [holder: Holder, name: string | number]

const placesMax = 300

/** Every member of a value, at every depth. */
const placesOf = (value: unknown, found: Array<Place> = []): Array<Place> => {
  if (typeof value !== "object" || value === null) return found
  for (const name of Object.keys(value)) {
    if (found.length >= placesMax) return found
    const place: Place = [value as Holder, Array.isArray(value) ? Number(name) : name]
    found.push(place)
    placesOf(place[0][place[1]], found)
  }
  return found
}

const remove = ([holder, name]: Place): void => {
  if (Array.isArray(holder)) holder.splice(Number(name), 1)
  else delete holder[name]
}

/** A number or a text near the one that is there. */
const near = (random: Random, value: unknown): unknown => {
  if (typeof value === "number") return value + random.of([-1, 1, 0.5, 2 ** 31, -value])
  if (typeof value !== "string") return badValue(random)
  const at = random.below(value.length + 1)
  return random.of([
    value.slice(0, at),
    `${value.slice(0, at)}${badText(random)}${value.slice(at)}`,
    value.toUpperCase(),
    ` ${value} `,
    value + value
  ])
}

const changeOne = (random: Random, places: ReadonlyArray<Place>): void => {
  const place = random.of(places)
  const [holder, name] = place
  switch (random.below(8)) {
    case 0:
      return remove(place)
    case 1:
      holder[name] = null
      return
    case 2:
      holder[name] = [holder[name]]
      return
    case 3:
      holder[name] = { value: holder[name] }
      return
    case 4: {
      const [other, otherName] = random.of(places)
      // a copy: a value must not come to hold itself
      holder[name] = structuredClone(other[otherName])
      return
    }
    case 5:
      if (Array.isArray(holder)) holder.push(structuredClone(holder[Number(name)]))
      else holder[badText(random)] = badValue(random)
      return
    case 6:
      holder[name] = near(random, holder[name])
      return
    default:
      holder[name] = badValue(random)
  }
}

/** The value with up to so many changes; the one given stays as it is. */
export const mutated = (random: Random, value: unknown, most = 3): unknown => {
  if (random.percent(3)) return badValue(random)
  const copy = structuredClone(value)
  for (let count = random.between(1, most); count > 0; count--) {
    const places = placesOf(copy)
    if (places.length === 0) return badValue(random)
    changeOne(random, places)
  }
  return copy
}

const notUtf8 = [Buffer.of(0xff), Buffer.of(0xc0, 0xaf), Buffer.of(0xed, 0xa0, 0x80), Buffer.of(0xf4, 0x90, 0x80, 0x80)]

/** The text of a value with a change that leaves it no JSON, or JSON of an unusual form. */
export const brokenText = (random: Random, value: unknown): Buffer => {
  const text = jsonText(value)
  const bytes = Buffer.from(text)
  const at = random.below(bytes.length + 1)
  const spliced = (piece: Buffer): Buffer => Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)])
  switch (random.below(9)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return spliced(random.bytes(random.between(1, 8)))
    case 2:
      return spliced(random.of(notUtf8))
    case 3:
      return Buffer.from(`\ufeff${text}`)
    case 4:
      return Buffer.from(text + random.of(["}", "]", ",", "\0", text, " ".repeat(1_000), "//"]))
    case 5:
      return Buffer.from(text.replaceAll('"', "'"))
    case 6:
      return Buffer.from(text.replace("{", `{${text.slice(1, -1) || '"a":1'},`))
    case 7:
      return Buffer.from(text, "utf16le")
    default:
      return random.bytes(random.between(0, 200))
  }
}
