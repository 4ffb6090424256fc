/**
 * Decodes a request's params, query, headers and body by the contract. Owns the decoders, built once per endpoint, and
 * the messages of validation issues. It fails with ValidationFailed, and with NotFound for a path parameter that is
 * invalid.
 */
import { Cause, Exit, Option, Schema, SchemaAST, SchemaIssue } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { jsonDepth } from "../../src/domain/text/json-extent.ts"
import { type Issue, NotFound, Overloaded, PayloadTooLarge, ValidationFailed } from "../../src/errors.ts"
import { jsonDepthMax, overloadRetrySeconds } from "../../src/limits.ts"
import { isRecord } from "../../src/protocol/is-record.ts"
import { nullIsAbsent } from "../api/optional.ts"
import type { Body } from "../native/request-body.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()
const issuesMax = 32
const brace = 123

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

const invalid = (path: string, message: string): ValidationFailed =>
  new ValidationFailed({ issues: [{ path, message }] })

/** The names of a path's parameters, in order. */
export const parameterNames = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/:([A-Za-z0-9_]+)/gu)].map((match) => match[1]!)

const unescape = (text: string): string =>
  text.includes("%") || text.includes("+") ? decodeURIComponent(text.replaceAll("+", " ")) : text

const noLists: ReadonlySet<string> = new Set()

/**
 * Parses a query string. The last value of a repeated name wins; the values of a name in `lists` become an array.
 * Undefined when the percent-encoding is invalid.
 */
export const readQuery = (text: string, lists = noLists): Record<string, unknown> | undefined => {
  // `Object.create(null)` makes a hash table, twenty times slower. `__proto__` is no risk: a text cannot replace it.
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
      const name = unescape(text.slice(from, at))
      const value = unescape(text.slice(at + 1, to))
      const before = lists.has(name) && Object.hasOwn(query, name) ? query[name] : undefined
      query[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value]
    } catch {
      return undefined
    }
  }
  return query
}

/** A decoded part, or the failure to answer with. */
export type Decoded =
  | { readonly value: unknown }
  | { readonly failure: ValidationFailed | NotFound | PayloadTooLarge | Overloaded }

type Reader = (value: unknown) => Decoded
interface Field {
  readonly name: string
  readonly optional: boolean
  /** Null is absent. */
  readonly nullable: boolean
  readonly fits: (value: unknown) => boolean
}

const bySchema = (schema: Schema.Top | undefined, exact: boolean): Reader | undefined => {
  if (schema === undefined) return undefined
  const decode = Schema.decodeUnknownExit(schema as never, {
    errors: "all",
    onExcessProperty: exact ? "error" : "ignore"
  }) as (value: unknown) => Exit.Exit<unknown, unknown>
  return (value) => {
    const exit = decode(value)
    return Exit.isSuccess(exit)
      ? { value: exit.value }
      : { failure: new ValidationFailed({ issues: issuesOf(exit.cause) }) }
  }
}

const isBare = ({ checks, encoding }: SchemaAST.AST): boolean => checks === undefined && encoding === undefined

const asJson = Schema.toCodecJson(Schema.Unknown).ast.encoding

/** Whether a type accepts any JSON: how the contract of a body represents `Unknown`. */
const isAnyJson = (type: SchemaAST.AST): boolean =>
  type._tag === "Unknown" &&
  type.checks === undefined &&
  (type.encoding === undefined || (type.encoding.length === 1 && type.encoding[0] === asJson?.[0]))

const isAnyRecord = (ast: SchemaAST.Objects): boolean =>
  ast.encodingChecks === undefined &&
  ast.propertySignatures.length === 0 &&
  ast.indexSignatures.length === 1 &&
  ast.indexSignatures.every(
    ({ parameter, type }) => parameter._tag === "String" && isBare(parameter) && isAnyJson(type)
  )

/**
 * JSON.parse reads a number beyond the double range as Infinity, which JSON.stringify writes as null. The caller has
 * bounded the depth.
 */
const isFinite = (value: unknown): boolean => {
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object" || value === null) return true
  for (const member of Object.values(value)) if (!isFinite(member)) return false
  return true
}

/** The predicate of a type that decodes to its input unchanged; undefined for every other type. */
const predicateOf = (type: SchemaAST.AST, nullable: boolean): Field["fits"] | undefined => {
  if (type.checks !== undefined || (type.encoding !== undefined && !nullable)) return undefined
  if (type._tag === "String") return (value) => typeof value === "string"
  if (type._tag === "Boolean") return (value) => typeof value === "boolean"
  return type._tag === "Objects" && isAnyRecord(type) ? (value) => isRecord(value) && isFinite(value) : undefined
}

/** The fields of a struct whose fields all decode unchanged; undefined for any other schema. */
const plainFields = ({ ast }: Schema.Top): ReadonlyArray<Field> | undefined => {
  if (ast._tag !== "Objects" || !isBare(ast)) return undefined
  if (ast.encodingChecks !== undefined || ast.indexSignatures.length > 0) return undefined
  const fields: Array<Field> = []
  for (const { name, type } of ast.propertySignatures) {
    const nullable = nullIsAbsent(type)
    const fits = predicateOf(type, nullable)
    if (typeof name !== "string" || name in Object.prototype || fits === undefined) return undefined
    fields.push({ name, optional: SchemaAST.isOptional(type), nullable, fits })
  }
  return fields
}

/**
 * The decoder of a freshly parsed value. Where the contract asks for strings, flags and plain objects only, a valid
 * value needs no schema, which costs about twelve times as much; the schema runs only to describe what is wrong.
 */
const readerOf = (schema: Schema.Top | undefined, exact = false): Reader | undefined => {
  const whole = bySchema(schema, exact)
  const fields = exact ? undefined : schema && plainFields(schema)
  if (whole === undefined || fields === undefined) return whole
  return (given) => {
    if (!isRecord(given)) return whole(given)
    const value: Record<string, unknown> = {}
    for (const { name, optional, nullable, fits } of fields) {
      const member = given[name] === null && nullable ? undefined : given[name]
      if (member === undefined ? !optional : !fits(member)) return whole(given)
      if (member !== undefined) value[name] = member
    }
    return { value }
  }
}

const unionOf = (schemas: ReadonlyArray<Schema.Top> | undefined): Schema.Top | undefined =>
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

/** The query names that may be repeated: all their values count. */
const listsOf = (schema: Schema.Top | undefined): ReadonlySet<string> => {
  const isList = (type: SchemaAST.AST): boolean =>
    type._tag === "Arrays" || (type._tag === "Union" && type.types.some(isList))
  if (schema?.ast._tag !== "Objects") return noLists
  return new Set(schema.ast.propertySignatures.filter(({ type }) => isList(type)).map(({ name }) => String(name)))
}

const isBlank = (text: string): boolean => text === "" || (text.charCodeAt(0) !== brace && text.trim() === "")

const nothing: Decoded = { value: undefined }
const notFound: Decoded = { failure: new NotFound() }

/** Builds the decoders of an endpoint. A part that the contract does not name decodes to undefined. */
export const decodersOf = (endpoint: HttpApiEndpoint.Top, exact: boolean, bytesMax: number) => {
  const names = parameterNames(endpoint.path)
  const params = readerOf(endpoint.params)
  const query = readerOf(endpoint.query && (Schema.toCodecArrayFromSingle(endpoint.query) as Schema.Top))
  const lists = listsOf(endpoint.query)
  const headers = readerOf(endpoint.headers)
  const headerNames = namesOf(endpoint.headers)
  const payload = readerOf(unionOf(endpoint.payload.get("application/json")?.schemas), exact)

  let noQuery: Decoded | undefined
  return {
    takesBody: payload !== undefined,
    /** The headers that the contract names (in lower case). */
    headerNames,
    /** `raw`: the parameters as they appear in the path, in order. */
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
      const decoded = params(values)
      return "value" in decoded ? decoded : notFound
    },
    query: (text: string): Decoded => {
      if (query === undefined) return nothing
      // most calls have no query, and an empty one always decodes to the same value
      if (text === "") {
        noQuery ??= query(readQuery(""))
        return noQuery
      }
      const values = readQuery(text, lists)
      return values === undefined ? { failure: invalid("", "The query's %-encoding is broken") } : query(values)
    },
    /** `values`: of the headers that the contract names, in that order; "" for an absent one. */
    headers: (values: ReadonlyArray<string>): Decoded => {
      if (headers === undefined) return nothing
      const named: Record<string, string> = {}
      for (let at = 0; at < headerNames.length; at++) if (values[at] !== "") named[headerNames[at]!] = values[at]!
      return headers(named)
    },
    /** An empty body counts as `{}`. */
    payload: (body: Body): Decoded => {
      if (payload === undefined) return nothing
      if (body.kind === "too large") return { failure: new PayloadTooLarge({ limit: bytesMax }) }
      if (body.kind === "no room") return { failure: new Overloaded({ retryAfter: overloadRetrySeconds }) }
      if (body.kind === "misread")
        return { failure: invalid("", "The sizes of the body's chunks are not plain numbers") }
      let value: unknown
      try {
        value = isBlank(body.text) ? {} : JSON.parse(body.text)
      } catch {
        return { failure: invalid("", "The body is not valid JSON") }
      }
      if (jsonDepth(body.text, jsonDepthMax) > jsonDepthMax) {
        return { failure: invalid("", `The body nests deeper than ${jsonDepthMax} levels`) }
      }
      return payload(value)
    }
  }
}

/** The decoders of one endpoint. */
export type Decoders = ReturnType<typeof decodersOf>
