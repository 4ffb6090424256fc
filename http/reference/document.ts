/**
 * Generates the OpenAPI document from the contract. Owns the corrections: objects stay open (answers gain members),
 * credentials and scopes are described, failures come from the problem table.
 */
import { Context } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { type Access, AccessOf } from "../api/access.ts"
import type { Api } from "../api/api.ts"
import { rows } from "../pipeline/problem-table.ts"
import { reasons } from "../pipeline/reasons.ts"

/** Any JSON. */
export type Json = { readonly [name: string]: unknown }

/** One operation of the document, with the access it requires. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly access: Access
  readonly spec: Json
}

/** The document, and its operations in the order of the contract. */
export interface Reference {
  readonly document: Json
  readonly operations: ReadonlyArray<Operation>
}

/** Opens objects: with closed ones a client would reject an answer with a new member. */
const openObjects = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(openObjects)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, one]) => !(name === "additionalProperties" && one === false))
      .map(([name, one]) => [name, openObjects(one)])
  )
}

/** The access that an endpoint requires, as text. */
export const needsOf = (access: Access): ReadonlyArray<string> => {
  if (access.kind === "public") return ["No credential"]
  const scopes = access.scope === undefined ? [] : [access.scope].flat()
  return [
    access.recent === true || access.kind === "session" ? "A dashboard session" : "An API key or a dashboard session",
    ...(scopes.length > 0 ? [`Scope ${scopes.join(" or ")}`] : []),
    ...(access.recent === true ? ["A recent login"] : [])
  ]
}

/** The body of every refusal. */
export const problemSchema = {
  type: "object",
  required: ["error", "reason", "requestId"],
  properties: {
    error: { type: "string", description: "One public sentence" },
    code: { type: "string", enum: [...new Set(Object.values(rows).flatMap((row) => row.code ?? []))] },
    reason: { type: "string", enum: [...reasons] },
    requestId: { type: "string" },
    retryAfter: { type: "integer", description: "Seconds" },
    issues: {
      type: "array",
      items: { type: "object", properties: { path: { type: "string" }, message: { type: "string" } } }
    },
    candidates: { type: "array", items: { type: "string" } },
    commandId: { type: "string" },
    status: { type: "integer", description: "Of the first answer to this Idempotency-Key, which was not kept" },
    requiredScope: { type: "string" },
    limit: { type: "integer" },
    plan: { type: "string" },
    maxAge: { type: "integer" },
    authAge: { type: "integer" }
  }
}

const problem = { $ref: "#/components/responses/Problem" }

const credentials = {
  bearer: { type: "http", scheme: "bearer", description: "An API key, or the token of a dashboard session" }
}

const operation = (spec: Json, access: Access): Json => ({
  ...spec,
  description: [spec["description"], `Needs: ${needsOf(access).join("; ")}.`].filter(Boolean).join("\n\n"),
  security: access.kind === "public" ? [] : [{ bearer: [] }],
  responses: { ...(spec["responses"] as Json), "4XX": problem, "5XX": problem }
})

const templateOf = (path: string): string => path.replace(/:([A-Za-z0-9_]+)/gu, "{$1}")

/** Builds the reference. `server` is the public address. */
export const referenceOf = (api: typeof Api, server: string): Reference => {
  const raw = openObjects(OpenApi.fromApi(api)) as Json
  const paths = raw["paths"] as Record<string, Record<string, Json>>
  const operations: Array<Operation> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      const path = templateOf(endpoint.path)
      const method = endpoint.method.toLowerCase()
      const spec = paths[path]?.[method]
      const access = Context.getOrUndefined(mergedAnnotations as Context.Context<AccessOf>, AccessOf)
      if (spec === undefined || access === undefined) return
      operations.push({ method, path, tag: group.identifier, access, spec: operation(spec, access) })
    }
  })
  const described: Record<string, Record<string, Json>> = {}
  for (const { method, path, spec } of operations) described[path] = { ...described[path], [method]: spec }
  const components = raw["components"] as Json
  const document = {
    ...raw,
    servers: [{ url: server }],
    paths: described,
    components: {
      ...components,
      schemas: { ...(components["schemas"] as Json), Problem: problemSchema },
      responses: {
        Problem: {
          description: "What went wrong",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } }
        }
      },
      securitySchemes: credentials
    }
  }
  return { document, operations }
}
