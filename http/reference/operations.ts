/**
 * The operations of the document: what the generator makes of an endpoint, with what its annotations say. Owns
 * security, parameters and their descriptions.
 */
import { Context, Option } from "effect"
import { HttpApi } from "effect/http-api"
import { type Access, AccessOf, isKeyed } from "../api/access.ts"
import { type Answers, AnswersOf } from "../api/answers.ts"
import type { Api } from "../api/api.ts"
import { Words } from "../api/shapes.ts"
import { templateOf } from "../pipeline/path-parameters.ts"
import type { Examples } from "./examples.ts"
import { type Json, refTo } from "./json-schemas.ts"
import { type FailureResponses, type Responses, responsesOf } from "./responses.ts"

/** One operation of the document, with the access it requires. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly access: Access
  readonly spec: Json
}

const scopesOf = ({ scope, anyScope = [] }: Access): ReadonlyArray<string> => [
  ...(scope === undefined ? [] : [scope]),
  ...anyScope
]

/** The access that an endpoint requires, as text. */
export const needsOf = (access: Access): ReadonlyArray<string> => {
  if (access.kind === "public") return ["No credential"]
  if (access.kind === "joinKey") return ["A join key"]
  const scopes = scopesOf(access)
  return [
    access.recent === true || access.kind === "session" ? "A dashboard session" : "An API key or a dashboard session",
    ...(access.admin === true ? ["An administrator's account"] : []),
    ...(scopes.length > 0 ? [`Scope ${scopes.join(" or ")}`] : []),
    ...(access.recent === true ? ["A recent login"] : [])
  ]
}

/** The schemes of credentials. */
export const securitySchemes = {
  apiKey: { type: "http", scheme: "bearer", description: "An API key, with the scopes it was made with" },
  joinKey: { type: "http", scheme: "bearer", description: "A join key, by which a machine enrols itself" },
  session: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The token of a dashboard session, which holds every scope but `registry:publish` (administrators' do)"
  }
}

/** The credentials of which one is needed, each with the scope it needs (OpenAPI 3.1 lists roles there). */
const securityOf = (access: Access): ReadonlyArray<Json> => {
  if (access.kind === "public") return []
  if (access.kind === "joinKey") return [{ joinKey: [] }]
  const schemes = access.kind === "session" || access.recent === true ? ["session"] : ["apiKey", "session"]
  const choices = access.anyScope?.map((scope) => [scope]) ?? [access.scope === undefined ? [] : [access.scope]]
  return schemes.flatMap((scheme) => choices.map((scopes) => ({ [scheme]: scopes })))
}

/** The request headers that many operations take. */
export const parameterComponents = {
  IdempotencyKey: {
    name: "idempotency-key",
    in: "header",
    required: false,
    description: "Makes the call run once: a further call with the same key gets the stored outcome, for 24 hours",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" }
  }
}

const parameterOf = (given: Json): Json => {
  const { description, ...schema } = (given["schema"] ?? {}) as Json
  // a header to the decoder, a cookie to OpenAPI
  const named = given["name"] === "cookie" ? { ...given, name: "hub_sign_in", in: "cookie" } : given
  const list = schema["type"] === "array" ? { style: "form", explode: true } : {}
  return { ...named, ...list, ...(description === undefined ? {} : { description }), schema }
}

// the security says it; OpenAPI ignores a parameter of this name
const isNoCredential = ({ name }: Json): boolean => name !== "authorization"

const parametersOf = (spec: Json, keyed: boolean): ReadonlyArray<Json> => [
  ...((spec["parameters"] ?? []) as ReadonlyArray<Json>).filter(isNoCredential).map(parameterOf),
  ...(keyed ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : [])
]

/** Whether a body may be left out: an empty body counts as `{}`. */
const isOptionalBody = (schema: Json | undefined): boolean =>
  ((schema?.["required"] ?? []) as ReadonlyArray<string>).length === 0 && schema?.["oneOf"] === undefined

const bodyOf = (given: Json, schema: Json | undefined, example: unknown): Json => {
  const json = (given["content"] as Json)["application/json"] as Json
  const content = { "application/json": { ...json, ...(example === undefined ? {} : { example }) } }
  return { ...given, content, required: !isOptionalBody(schema) }
}

/** What operations are made with. */
export interface Making {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>
  readonly schemaOf: (schema: unknown) => Json | undefined
  readonly failures: FailureResponses
  readonly examples: Examples
}

const operationOf = (given: Json, access: Access, answers: Answers, keyed: boolean, making: Making): Json => {
  const id = String(given["operationId"])
  const body = given["requestBody"] as Json | undefined
  const schema = ((body?.["content"] as Json | undefined)?.["application/json"] as Json | undefined)?.["schema"]
  const shown = making.examples.operations[id]
  const responses = responsesOf(given["responses"] as Responses, { access, answers, keyed }, making.failures)
  return {
    ...given,
    description: [given["description"], `Needs: ${needsOf(access).join("; ")}.`].filter(Boolean).join("\n\n"),
    security: securityOf(access),
    "x-on-hang-up": access.onHangUp,
    parameters: parametersOf(given, keyed),
    ...(body === undefined ? {} : { requestBody: bodyOf(body, making.schemaOf(schema), shown?.request) }),
    responses: withExamples(
      access.streams === undefined ? responses : streaming(responses, access.streams),
      shown?.responses ?? {}
    )
  }
}

/** The content of a stream is described by the data of its events. */
const streaming = (responses: Json, schema: string): Json => {
  const stream = { "text/event-stream": { schema: refTo(schema) } }
  return { ...responses, "200": { ...(responses["200"] as Json), content: stream } }
}

const withExamples = (responses: Json, shown: Readonly<Record<string, unknown>>): Json =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { content } = response as { content?: Readonly<Record<string, Json>> }
      const example = shown[status]
      if (content === undefined || example === undefined) return [status, response]
      // of lines of JSON the schema is a text: the example is of the answer in one piece
      const shownContent = Object.entries(content).map(([type, media]) =>
        type === "application/x-ndjson" ? [type, media] : [type, { ...media, example }]
      )
      return [status, { ...(response as Json), content: Object.fromEntries(shownContent) }]
    })
  )

/** The same operation by HEAD: its answers have no bodies. */
const headOf = ({ responses, ...spec }: Json): Json => ({
  ...spec,
  operationId: `${String(spec["operationId"])}Head`,
  summary: `${String(spec["summary"])} (headers only)`,
  responses: Object.fromEntries(
    Object.entries(responses as Record<string, Json>)
      .filter(([status]) => status !== "206" && status !== "416")
      .map(([status, response]) => [status, "$ref" in response ? response : { ...response, content: undefined }])
  )
})

/** The operations of the contract, in its order. */
export const operationsOf = (api: typeof Api, making: Making): ReadonlyArray<Operation> => {
  const operations: Array<Operation> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      const path = templateOf(endpoint.path)
      const method = endpoint.method.toLowerCase()
      const given = making.paths[path]?.[method]
      const access = Option.getOrUndefined(Context.getOption(mergedAnnotations, AccessOf))
      if (given === undefined || access === undefined) return
      const answers = Option.getOrElse(Context.getOption(mergedAnnotations, AnswersOf), (): Answers => ({}))
      const keyed = isKeyed(endpoint.method, access)
      const [summary, description] = Context.getOrUndefined(mergedAnnotations, Words) ?? []
      const spec = operationOf({ ...given, summary, description }, access, answers, keyed, making)
      const one = { method, path, tag: group.identifier, access, spec }
      operations.push(one)
      if (answers.head === true) operations.push({ ...one, method: "head", spec: headOf(spec) })
    }
  })
  return operations
}
