/**
 * The JSON Schemas of a tool: what it takes and what it gives, as the contract says it. Owns their form, which stands
 * alone: named schemas come with it. Decodes nothing.
 */
import { type Json, nameOfRef, rewrite, type Schemas } from "../reference/json-schemas.ts"
import type { Operation } from "../reference/operations.ts"

/** A schema whose root is an object. */
export interface ObjectSchema {
  readonly [keyword: string]: unknown
  readonly type: "object"
}

/** What a tool is described with. */
export interface Described {
  readonly operation: Operation
  readonly schemas: Schemas
}

interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required?: boolean
  readonly description?: string
  readonly schema: Json
}

/** The argument that stands for the header `Idempotency-Key`. */
export const idempotencyArgument = "idempotencyKey"
/** The header by which a caller does not wait for a command; an argument of the same name. */
export const preferArgument = "prefer"

const idempotencySchema = {
  type: "string",
  description: "Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours"
}

/** Words of OpenAPI that JSON Schema has not. */
const openApiWords = new Set(["discriminator", "example", "examples"])

/** A schema that stands alone: references lead into its own `$defs`. */
const alone = (schema: Json, schemas: Schemas): Json => {
  const used = new Map<string, Json>()
  const local = (node: Json): Json => {
    const name = nameOfRef(node)
    const kept = Object.fromEntries(Object.entries(node).filter(([word]) => !openApiWords.has(word)))
    if (name === undefined) return kept
    if (!used.has(name)) {
      used.set(name, {})
      used.set(name, rewrite(schemas[name], local) as Json)
    }
    return { ...kept, $ref: `#/$defs/${name}` }
  }
  const written = rewrite(schema, local) as Json
  return used.size === 0 ? written : { ...written, $defs: Object.fromEntries(used) }
}

const parametersOf = ({ spec }: Operation): ReadonlyArray<Parameter> =>
  (spec["parameters"] as ReadonlyArray<Partial<Parameter>>).filter(
    (one): one is Parameter => one.in === "path" || one.in === "query" || one.name === preferArgument
  )

/** Whether calls of an operation take an Idempotency-Key. */
const isKeyedOperation = ({ spec }: Operation): boolean =>
  (spec["parameters"] as ReadonlyArray<Json>).some((one) => String(one["$ref"]).endsWith("/IdempotencyKey"))

/** Whether calls of an operation may ask not to wait. */
export const mayBeStored = ({ spec }: Operation): boolean =>
  (spec["parameters"] as ReadonlyArray<Json>).some((one) => one["name"] === preferArgument)

const argumentOf = ({ name, schema, description }: Parameter): Json => ({
  ...(name === preferArgument ? { type: "string", enum: ["respond-async"] } : schema),
  ...(description === undefined ? {} : { description })
})

const contentOf = (holder: unknown): Json | undefined =>
  (holder as { content?: Record<string, { schema?: Json }> } | undefined)?.content?.["application/json"]?.schema

const resolved = (schema: Json, schemas: Schemas): Json => {
  const name = nameOfRef(schema)
  return name === undefined ? schema : schemas[name]!
}

/** Everything that an operation takes, in one flat object. */
export const inputSchema = ({ operation, schemas }: Described): ObjectSchema => {
  const parameters = parametersOf(operation)
  const given = contentOf(operation.spec["requestBody"])
  const body = given === undefined ? {} : resolved(given, schemas)
  const members = (body["properties"] ?? {}) as Record<string, Json>
  const doubled = parameters.find(({ name }) => name in members)
  const id = String(operation.spec["operationId"])
  if (doubled !== undefined) throw new Error(`${id} takes ${doubled.name} in two places`)
  if (given !== undefined && body["type"] !== "object") throw new Error(`${id} takes no plain object`)
  const properties = {
    ...Object.fromEntries(parameters.map((one) => [one.name, argumentOf(one)])),
    ...members,
    ...(isKeyedOperation(operation) ? { [idempotencyArgument]: idempotencySchema } : {})
  }
  const required = [
    ...parameters.filter((one) => one.required === true).map(({ name }) => name),
    ...((body["required"] ?? []) as ReadonlyArray<string>)
  ]
  return { ...alone({ properties, required }, schemas), type: "object" }
}

/** What an operation gives where it succeeds. */
export const outputSchema = ({ operation, schemas }: Described): ObjectSchema => {
  const responses = operation.spec["responses"] as Readonly<Record<string, unknown>>
  const given = Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([, response]) => contentOf(response)!)
  const texts = new Set(given.map((one) => JSON.stringify(one)))
  const choices = [...texts].map((text) => JSON.parse(text) as Json)
  return { ...alone(choices.length === 1 ? { allOf: choices } : { anyOf: choices }, schemas), type: "object" }
}
