/** What the pages of the reference read of an operation in the document. Owns these readings; renders nothing. */

import type { Json } from "./json-schemas.ts"
import { type Operation, parameterComponents } from "./operations.ts"

/** One parameter, as it is shown. */
export interface ShownParameter {
  readonly name: string
  readonly where: string
  readonly isRequired: boolean
  readonly text: string
}

/** What a hang-up of the caller means. */
export const hangUps = {
  cancel: "A caller who hangs up ends the work",
  finish: "Runs to its end when the caller hangs up"
} as const

export const titleOf = ({ spec }: Operation): string => String(spec["summary"] ?? spec["operationId"])

/** Its description without what it needs, which is shown by itself. */
export const saidOf = ({ spec }: Operation): string => {
  const said = String(spec["description"] ?? "").split("\n\nNeeds:")[0]!
  return said.startsWith("Needs:") ? "" : said
}

const parameterOf = (given: Json): Json => {
  const name = typeof given["$ref"] === "string" ? given["$ref"].split("/").at(-1)! : ""
  return (parameterComponents as Readonly<Record<string, Json>>)[name] ?? given
}

export const parametersOf = (spec: Json): ReadonlyArray<ShownParameter> =>
  ((spec["parameters"] ?? []) as ReadonlyArray<Json>).map((given) => {
    const one = parameterOf(given)
    const schema = (one["schema"] ?? {}) as Json
    return {
      name: String(one["name"]),
      where: String(one["in"]),
      isRequired: one["required"] === true,
      text: String(one["description"] ?? schema["description"] ?? "")
    }
  })

const mediaOf = (holder: unknown): { schema?: unknown; example?: unknown } | undefined => {
  const content = (holder as { content?: Record<string, { schema?: unknown }> } | undefined)?.content
  return content === undefined ? undefined : Object.values(content)[0]
}

/** The schema of a body or an answer. */
export const contentOf = (holder: unknown): unknown => mediaOf(holder)?.schema

export const exampleOf = (holder: unknown): unknown => mediaOf(holder)?.example

/** The failures of a shared failure response. */
export const failuresOf = (ref: string): ReadonlyArray<string> =>
  ref
    .split("/")
    .at(-1)!
    .replace(/Unlimited$/u, "")
    .split("Or")
