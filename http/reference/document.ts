/**
 * Generates the OpenAPI document from the contract. Owns its parts and their order; json-schemas.ts, operations.ts,
 * responses.ts and webhooks.ts make them.
 */
import { OpenApi } from "effect/http-api"
import { wireKey } from "../../src/protocol/wire-key.ts"
import type { Api } from "../api/api.ts"
import { examples } from "./examples.ts"
import { corrected, type Json, nameOfRef, type Schemas, withChoices, withoutCopies } from "./json-schemas.ts"
import { type Operation, operationsOf, parameterComponents, securitySchemes } from "./operations.ts"
import { FailureResponses, headerComponents } from "./responses.ts"
import { webhooksOf } from "./webhooks.ts"

/** The document, and its operations in the order of the contract. */
export interface Reference {
  readonly document: Json
  readonly operations: ReadonlyArray<Operation>
}

/** The contact of those who run a hub is its public address. */
const infoOf = (raw: Json, server: string): Json => ({
  ...(raw["info"] as Json),
  license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
  contact: { name: "The operator of this hub", ...(server.startsWith("http") ? { url: server } : {}) }
})

/** Only the headers that responses refer to. */
const usedHeaders = (used: string): Json =>
  Object.fromEntries(
    Object.entries(headerComponents).filter(([name]) => used.includes(`"#/components/headers/${name}"`))
  )

const build = (api: typeof Api, server: string): Reference => {
  const generated = corrected(OpenApi.fromApi(api, { includeAnnotationKey: (key) => key === wireKey })) as Json
  const named = (generated["components"] as Json)["schemas"] as Schemas
  const { document: raw, schemas: single } = withoutCopies(generated, named)
  const schemas = withChoices(single, single) as Schemas
  const failures = new FailureResponses(schemas, examples.problems)
  const operations = operationsOf(api, {
    paths: withChoices(raw["paths"], schemas) as Record<string, Record<string, Json>>,
    schemaOf: (schema) => schemas[nameOfRef(schema) ?? ""],
    failures,
    examples
  })
  const paths: Record<string, Record<string, Json>> = {}
  for (const { method, path, spec } of operations) paths[path] = { ...paths[path], [method]: spec }
  const document = {
    openapi: raw["openapi"],
    info: infoOf(raw, server),
    servers: [{ url: server }],
    tags: raw["tags"],
    paths,
    webhooks: webhooksOf(examples),
    components: {
      schemas,
      responses: failures.components,
      parameters: parameterComponents,
      headers: usedHeaders(JSON.stringify([paths, failures.components])),
      securitySchemes
    }
  }
  return { document, operations }
}

/** The reference of each contract that was built last, with the address that it names. */
const built = new WeakMap<typeof Api, { readonly server: string; readonly reference: Reference }>()

/**
 * The reference. `server` is the public address. Building it holds everything else up for some 0.3 s, so the next to
 * ask for the same address gets the same one.
 */
export const referenceOf = (api: typeof Api, server: string): Reference => {
  const last = built.get(api)
  if (last?.server === server) return last.reference
  const reference = build(api, server)
  built.set(api, { server, reference })
  return reference
}
