/**
 * Values that fit a JSON schema of the contract's document. Owns the reading of the schemas' words that the document
 * uses; a pattern is not read, the examples fit it.
 */
import type { Random } from "./random.ts"

/** A JSON schema, as far as it is read. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly anyOf?: ReadonlyArray<Schema>
  readonly oneOf?: ReadonlyArray<Schema>
  readonly allOf?: ReadonlyArray<Schema>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Schema
  readonly additionalProperties?: boolean | Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** What a value is made with. */
export interface Making {
  readonly random: Random
  /** Finds what a reference names. */
  readonly resolve: (schema: Schema) => Schema
  /** A value for a member of this name, where names say more than the schema. */
  readonly named: (name: string, random: Random) => unknown
}

const depthMax = 6
const itemsMax = 3
const textMax = 12
const wholeMax = 1_000

const object = (making: Making, schema: Schema, depth: number): unknown => {
  const { random } = making
  const made: Record<string, unknown> = {}
  for (const [name, of] of Object.entries(schema.properties ?? {}))
    if (schema.required?.includes(name) || random.percent(40)) made[name] = valueOf(making, of, name, depth + 1)
  if (typeof schema.additionalProperties === "object")
    for (let count = random.below(itemsMax); count > 0; count--)
      made[random.word(4)] = valueOf(making, schema.additionalProperties, "", depth + 1)
  return made
}

const list = (making: Making, schema: Schema, name: string, depth: number): unknown => {
  const least = schema.minItems ?? 0
  const length = making.random.between(least, Math.min(schema.maxItems ?? itemsMax, least + itemsMax))
  return Array.from({ length }, () => valueOf(making, schema.items ?? {}, name.replace(/s$/u, ""), depth + 1))
}

const text = ({ random }: Making, { minLength = 0, maxLength = textMax }: Schema): string =>
  random.word(random.percent(95) ? random.between(minLength, Math.min(maxLength, minLength + textMax)) : maxLength)

const whole = ({ random }: Making, { minimum = 0, maximum = minimum + wholeMax }: Schema): number =>
  random.percent(80) ? random.between(minimum, Math.min(maximum, minimum + wholeMax)) : random.of([minimum, maximum])

/** A value that fits, as far as the schema says what does. `name` is the member's. */
export function valueOf(making: Making, given: Schema, name = "", depth = 0): unknown {
  const schema = making.resolve(given)
  const { random } = making
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return random.of(schema.enum)
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (choices !== undefined) return valueOf(making, random.percent(80) ? choices[0]! : random.of(choices), name, depth)
  const named = making.named(name, random)
  if (named !== undefined && schema.type !== "object" && schema.type !== "array") return named
  if (depth > depthMax) return null
  switch (schema.type) {
    case "null":
      return null
    case "boolean":
      return random.percent(50)
    case "integer":
      return whole(making, schema)
    case "number":
      return whole(making, schema) / 2
    case "array":
      return list(making, schema, name, depth)
    case "object":
      return object(making, schema, depth)
    case "string":
      return text(making, schema)
    default:
      return random.of<unknown>(["x", 1, true, null, {}, []])
  }
}
