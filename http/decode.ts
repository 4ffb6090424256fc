/**
 * From the text of a request to the values its contract names. Owns the decoders, built once an endpoint, and the words
 * of what does not fit; what it refuses is ValidationFailed, and for a path that is not one, NotFound.
 */
import { Cause, Exit, Option, Schema, SchemaAST, SchemaIssue } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { jsonDepth } from "../src/domain/jsondepth.ts"
import { type Issue, NotFound, Overloaded, PayloadTooLarge, ValidationFailed } from "../src/errors.ts"
import { jsonDepthMax, overloadRetrySeconds } from "../src/limits.ts"
import type { Body } from "./body.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()
const issuesMax = 32

const issuesOf = (cause: Cause.Cause<unknown>): ReadonlyArray<Issue> => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (!(error instanceof Schema.SchemaError)) return [{ path: "", message: "does not fit" }]
  return format(error.issue)
    .issues.slice(0, issuesMax)
    .map((issue) => ({
      path: (issue.path ?? []).map((key) => String(typeof key === "object" ? key.key : key)).join("."),
      message: issue.message
    }))
}

const refused = (path: string, message: string): ValidationFailed =>
  new ValidationFailed({ issues: [{ path, message }] })

/** The names of a path's parameters, in order. */
export const parameterNames = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/:([A-Za-z0-9_]+)/gu)].map((match) => match[1]!)

const unescaped = (text: string): string =>
  text.includes("%") || text.includes("+") ? decodeURIComponent(text.replaceAll("+", " ")) : text

/** Reads a query string; a name given twice becomes an array. Undefined when its %-encoding is broken. */
export const readQuery = (text: string): Record<string, unknown> | undefined => {
  // not `Object.create(null)`, a hash table and twenty times dearer; `__proto__` can be set to no text, so it is left out
  const query: Record<string, unknown> = {}
  if (text === "") return query
  let equals = text.indexOf("=")
  for (let from = 0, to = 0; from < text.length; from = to + 1) {
    to = text.indexOf("&", from)
    if (to < 0) to = text.length
    if (to === from) continue
    if (equals >= 0 && equals < from) equals = text.indexOf("=", from)
    const at = equals < 0 || equals > to ? to : equals
    try {
      const name = unescaped(text.slice(from, at))
      const value = unescaped(text.slice(at + 1, to))
      const before = Object.hasOwn(query, name) ? query[name] : undefined
      query[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value]
    } catch {
      return undefined
    }
  }
  return query
}

type Decoder = (value: unknown) => Exit.Exit<unknown, unknown>
type Texts = Readonly<Record<string, unknown>>
interface Field {
  readonly name: string
  readonly optional: boolean
}

const decoder = (schema: Schema.Top | undefined, exact: boolean): Decoder | undefined =>
  schema === undefined
    ? undefined
    : (Schema.decodeUnknownExit(schema as never, {
        errors: "all",
        onExcessProperty: exact ? "error" : "ignore"
      }) as Decoder)

/** The fields of a struct whose every field is a string and nothing more; undefined of any other schema. */
const stringFields = ({ ast }: Schema.Top): ReadonlyArray<Field> | undefined => {
  if (ast._tag !== "Objects" || ast.checks !== undefined || ast.encoding !== undefined) return undefined
  if (ast.encodingChecks !== undefined || ast.indexSignatures.length > 0) return undefined
  const fields = ast.propertySignatures.map(({ name, type }) =>
    typeof name === "string" && type._tag === "String" && type.checks === undefined && type.encoding === undefined
      ? { name, optional: SchemaAST.isOptional(type) }
      : undefined
  )
  return fields.every((field) => field !== undefined) ? fields : undefined
}

/**
 * The decoder of what a request has as texts, by name. Where the contract asks for nothing but strings, those that are
 * there need no schema, a dozen times their cost; only the schema says what is wrong.
 */
const textsDecoder = (schema: Schema.Top | undefined): Decoder | undefined => {
  const whole = decoder(schema, false)
  const fields = schema && stringFields(schema)
  if (whole === undefined || fields === undefined) return whole
  return (texts) => {
    const value: Record<string, string> = {}
    for (const { name, optional } of fields) {
      const text = (texts as Texts)[name]
      if (typeof text === "string") value[name] = text
      else if (text !== undefined || !optional) return whole(texts)
    }
    return Exit.succeed(value)
  }
}

const single = (schemas: ReadonlyArray<Schema.Top> | undefined): Schema.Top | undefined =>
  schemas === undefined || schemas.length === 0
    ? undefined
    : schemas.length === 1
      ? schemas[0]!
      : (Schema.Union(schemas as never) as unknown as Schema.Top)

const namesOf = (schema: Schema.Top | undefined): ReadonlyArray<string> => {
  if (schema === undefined) return []
  if (schema.ast._tag !== "Objects" || schema.ast.indexSignatures.length > 0)
    throw new Error("the contract must name the headers it takes")
  return schema.ast.propertySignatures.map(({ name }) => String(name))
}

/** A decoded part, or the failure to answer with. */
export type Decoded =
  | { readonly value: unknown }
  | { readonly failure: ValidationFailed | NotFound | PayloadTooLarge | Overloaded }

const nothing: Decoded = { value: undefined }
const notFound: Decoded = { failure: new NotFound() }

/** Builds the decoders of an endpoint. A slot that the contract does not name decodes to undefined. */
export const decodersOf = (endpoint: HttpApiEndpoint.Top, exact: boolean, bytesMax: number) => {
  const names = parameterNames(endpoint.path)
  const params = textsDecoder(endpoint.params)
  const query = textsDecoder(endpoint.query && (Schema.toCodecArrayFromSingle(endpoint.query) as Schema.Top))
  const headers = textsDecoder(endpoint.headers)
  const headerNames = namesOf(endpoint.headers)
  const payload = decoder(single(endpoint.payload.get("application/json")?.schemas), exact)

  const run = (decode: Decoder, value: unknown): Decoded => {
    const exit = decode(value)
    return Exit.isSuccess(exit)
      ? { value: exit.value }
      : { failure: new ValidationFailed({ issues: issuesOf(exit.cause) }) }
  }

  let noQuery: Decoded | undefined
  return {
    takesBody: payload !== undefined,
    /** The headers that the contract names (in lower case). */
    headerNames,
    /** `raw`: the parameters as the path has them, in order. */
    params: (raw: ReadonlyArray<string>): Decoded => {
      if (params === undefined) return nothing
      const values: Record<string, string> = {}
      for (let at = 0; at < names.length; at++) {
        const text = raw[at]!
        try {
          values[names[at]!] = text.includes("%") ? decodeURIComponent(text) : text
        } catch {
          return notFound
        }
        if (text === "") return notFound
      }
      const exit = params(values)
      return Exit.isSuccess(exit) ? { value: exit.value } : notFound
    },
    query: (text: string): Decoded => {
      if (query === undefined) return nothing
      // Most calls have none, and it always reads the same.
      if (text === "") {
        noQuery ??= run(query, readQuery(""))
        return noQuery
      }
      const values = readQuery(text)
      return values === undefined ? { failure: refused("", "The query's %-encoding is broken") } : run(query, values)
    },
    /** `values`: of the headers that the contract names, in that order; "" of one that is not there. */
    headers: (values: ReadonlyArray<string>): Decoded => {
      if (headers === undefined) return nothing
      const named: Record<string, string> = {}
      for (let at = 0; at < headerNames.length; at++) if (values[at] !== "") named[headerNames[at]!] = values[at]!
      return run(headers, named)
    },
    /** An empty body counts as `{}`. */
    payload: (body: Body): Decoded => {
      if (payload === undefined) return nothing
      if (body.kind === "too large") return { failure: new PayloadTooLarge({ limit: bytesMax }) }
      if (body.kind === "no room") return { failure: new Overloaded({ retryAfter: overloadRetrySeconds }) }
      let value: unknown
      try {
        value = body.text.trim() === "" ? {} : JSON.parse(body.text)
      } catch {
        return { failure: refused("", "The body is not valid JSON") }
      }
      if (jsonDepth(body.text, jsonDepthMax) > jsonDepthMax) {
        return { failure: refused("", `The body nests deeper than ${jsonDepthMax} levels`) }
      }
      return run(payload, value)
    }
  }
}

/** The decoders of one endpoint. */
export type Decoders = ReturnType<typeof decodersOf>
