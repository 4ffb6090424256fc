/** Renders a JSON schema as a type, for human readers. */

type Schema = Readonly<Record<string, unknown>>

const step = "  "

const comment = (schema: Schema): string =>
  typeof schema["description"] === "string" ? `  // ${schema["description"].replaceAll("\n", " ")}` : ""

const members = (schema: Schema, indent: string): string => {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>)
  const required = new Set((schema["required"] ?? []) as ReadonlyArray<string>)
  if (properties.length === 0) return "object"
  const inner = indent + step
  const lines = properties.map(([name, one]) => {
    const optional = required.has(name) ? "" : "?"
    return `${inner}${name}${optional}: ${typeOf(one, inner)}${comment(one)}`
  })
  return `{\n${lines.join("\n")}\n${indent}}`
}

const list = (items: unknown, indent: string): string => {
  const one = typeOf(items, indent)
  return one.includes(" | ") ? `(${one})[]` : `${one}[]`
}

/** Writes a schema as a type. A named shape is `shape:Name`. */
export const typeOf = (given: unknown, indent = ""): string => {
  const schema = (given ?? {}) as Schema
  const { $ref, type } = schema
  if (typeof $ref === "string") return `shape:${$ref.split("/").at(-1)}`
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as ReadonlyArray<unknown> | undefined
  if (choices !== undefined) return choices.map((one) => typeOf(one, indent)).join(" | ")
  const all = schema["allOf"] as ReadonlyArray<unknown> | undefined
  if (all !== undefined && type === undefined) return all.map((one) => typeOf(one, indent)).join(" & ")
  const words = schema["enum"] as ReadonlyArray<unknown> | undefined
  if (words !== undefined) return words.map((word) => JSON.stringify(word)).join(" | ")
  if (type === "array") return list(schema["items"], indent)
  if (type === "object") return members(schema, indent)
  return typeof type === "string" ? type : "any"
}
