/**
 * Corrects the JSON schemas that are generated from the contract, so that code generators and validators read them as
 * they are meant. Owns these corrections; knows no endpoint.
 */
import { wireKey } from "../../src/protocol/wire-key.ts"

export type Json = { readonly [name: string]: unknown }
/** JSON schemas by name. */
export type Schemas = Readonly<Record<string, Json>>

const refPrefix = "#/components/schemas/"
/** A reference to a named schema. */
export const refTo = (name: string): Json => ({ $ref: refPrefix + name })
/** The name that a reference names; undefined for anything else. */
export const nameOfRef = (schema: unknown): string | undefined => {
  const ref = (schema as Json | undefined)?.["$ref"]
  return typeof ref === "string" && ref.startsWith(refPrefix) ? ref.slice(refPrefix.length) : undefined
}

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Applies a correction to every object of a tree, from the leaves up. */
export const rewrite = (value: unknown, correct: (node: Json) => Json): unknown => {
  if (Array.isArray(value)) return value.map((one) => rewrite(one, correct))
  if (!isRecord(value)) return value
  return correct(Object.fromEntries(Object.entries(value).map(([name, one]) => [name, rewrite(one, correct)])))
}

const without = (node: Json, ...names: ReadonlyArray<string>): Json =>
  Object.fromEntries(Object.entries(node).filter(([name]) => !names.includes(name)))

const isMarked = (part: Json): part is Json & { readonly [wireKey]: Json } => isRecord(part[wireKey])

/** A query parameter that is a text to the decoder and something else to a caller. */
const wireForm = (node: Json): Json => {
  const parts = [node, ...((node["allOf"] as ReadonlyArray<Json> | undefined) ?? [])]
  const from = parts.find(isMarked)
  if (from === undefined) return node
  const { description } = from
  // the mark stays: this may be a part of the schema that it describes
  return { ...from[wireKey], ...(description === undefined ? {} : { description }), [wireKey]: from[wireKey] }
}

/** The generator gives every whole number the bounds of what a double holds. */
const wholeNumber = (node: Json): Json =>
  node["type"] === "integer" ? { format: "int64", ...without(node, "minimum", "maximum"), ...boundsOf(node) } : node

const boundsOf = ({ minimum, maximum }: Json): Json => ({
  ...(typeof minimum === "number" && minimum > Number.MIN_SAFE_INTEGER && { minimum }),
  ...(typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER && { maximum })
})

const isSchema = (value: unknown): boolean => isRecord(value) && Object.keys(value).length > 0

/** An object without members takes any: without the word generators make it an empty one. */
const openObject = (node: Json): Json => {
  if (node["type"] !== "object") return node
  const rest = (node["allOf"] as ReadonlyArray<Json> | undefined)?.some(
    (part) => part["type"] === "object" && part["additionalProperties"] === true
  )
  if (rest === true) return { ...without(node, "allOf"), additionalProperties: true }
  const { properties, additionalProperties } = node
  if (properties === undefined && isSchema(additionalProperties)) return node
  if (properties === undefined) return { ...node, additionalProperties: additionalProperties !== false }
  // answers gain members: with closed objects a client would refuse one with a new member
  return additionalProperties === false ? without(node, "additionalProperties") : node
}

const listOfAny = (node: Json): Json =>
  node["type"] === "array" && node["items"] === undefined ? { ...node, items: {} } : node

/** The corrections that need nothing but the node itself. */
export const corrected = (value: unknown): unknown =>
  rewrite(
    rewrite(value, (node) => listOfAny(openObject(wholeNumber(wireForm(node))))),
    (node) => (wireKey in node ? without(node, wireKey) : node)
  )

/** The generator copies a named schema for each description of it: one remains, described where it is referred to. */
export const withoutCopies = (document: Json, schemas: Schemas): { document: Json; schemas: Schemas } => {
  const copies = new Map<string, { readonly of: string; readonly description: unknown }>()
  for (const [name, schema] of Object.entries(schemas)) {
    const of = name.replace(/_\d+$/u, "")
    const original = schemas[of]
    const isCopied = Object.keys(schemas).some((other) => other !== of && other.replace(/_\d+$/u, "") === of)
    if (original === undefined || !isCopied) continue
    if (JSON.stringify(without(original, "description")) !== JSON.stringify(without(schema, "description"))) continue
    copies.set(name, { of, description: schema["description"] })
  }
  const redirect = (node: Json): Json => {
    const copy = copies.get(nameOfRef(node) ?? "")
    return copy === undefined ? node : { ...refTo(copy.of), description: copy.description }
  }
  const kept = Object.entries(schemas).filter(([name]) => (copies.get(name)?.of ?? name) === name)
  return {
    document: rewrite(document, redirect) as Json,
    schemas: Object.fromEntries(
      kept.map(([name, schema]) => [
        name,
        rewrite(copies.has(name) ? without(schema, "description") : schema, redirect) as Json
      ])
    )
  }
}

const wordOf = (schema: Json | undefined, name: string): unknown => {
  const property = (schema?.["properties"] as Schemas | undefined)?.[name]
  const words = property?.["enum"] as ReadonlyArray<unknown> | undefined
  const isRequired = (schema?.["required"] as ReadonlyArray<string> | undefined)?.includes(name) === true
  return isRequired && words?.length === 1 ? words[0] : undefined
}

/** The member whose text tells the schemas apart. OpenAPI's discriminators are texts: `success` is none. */
const discriminatorOf = (names: ReadonlyArray<string>, schemas: Schemas): Json | undefined => {
  for (const member of Object.keys((schemas[names[0]!]?.["properties"] ?? {}) as Json)) {
    const words = names.map((name) => wordOf(schemas[name], member))
    if (!words.every((word) => typeof word === "string") || new Set(words).size < words.length) continue
    return {
      propertyName: member,
      mapping: Object.fromEntries(words.map((word, at) => [word, refPrefix + names[at]!]))
    }
  }
  return undefined
}

/** A choice among named schemas, with its discriminator if it has one. */
export const choiceOf = (names: ReadonlyArray<string>, schemas: Schemas): Json => {
  if (names.length === 1) return refTo(names[0]!)
  const discriminator = discriminatorOf(names, schemas)
  return { oneOf: names.map(refTo), ...(discriminator === undefined ? {} : { discriminator }) }
}

/** Makes every `anyOf` of named objects a choice of exactly one. */
export const withChoices = (value: unknown, schemas: Schemas): unknown =>
  rewrite(value, (node) => {
    const names = (node["anyOf"] as ReadonlyArray<unknown> | undefined)?.map(nameOfRef)
    if (names === undefined || !names.every((name) => name !== undefined)) return node
    return { ...without(node, "anyOf"), ...choiceOf(names, schemas) }
  })
