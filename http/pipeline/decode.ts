/**
 * Decodes a request's params, query, headers and body by the contract. Owns the decoders, built once per endpoint. It
 * fails with ValidationFailed, and with NotFound for a path parameter that is invalid.
 */
import { Schema, type SchemaAST } from "effect"
import type { JsonExtent } from "../../src/domain/text/json-extent.ts"
import { withWholeCharacters } from "../../src/domain/text/whole-characters.ts"
import { type Issue, invalid, NotFound, Overloaded, PayloadTooLarge, ValidationFailed } from "../../src/errors.ts"
import { bodyValuesMax, jsonDepthMax, overloadRetrySeconds } from "../../src/limits.ts"
import type { DescribedEndpoint, Part } from "./action.ts"
import { bodyExtent } from "./body-extent.ts"
import { parameterNames } from "./path-parameters.ts"
import type { Body } from "./request-parts.ts"
import { type Decoded, type Reader, readerOf, takesTexts, type Undecoded, unionOf } from "./schema-reader.ts"
import { unknownMembersOf, unknownParametersOf } from "./unknown-members.ts"

const brace = 123
/** A query that is longer is decoded each time. */
const keptQueryCharsMax = 256

/** A decoded part, with what of it the call does not take; or the failure to answer with. */
type DecodedPart<A> = Undecoded | { readonly value: A; readonly unknown?: ReadonlyArray<Issue> }

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

const namesOf = (schema: Schema.Top | undefined): ReadonlyArray<string> => {
  if (schema === undefined) return []
  if (schema.ast._tag !== "Objects" || schema.ast.indexSignatures.length > 0)
    throw new Error("the contract must name the headers and parameters it takes")
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

const notFound: Undecoded = { failure: new NotFound() }
/** Of a part that the contract does not name; its type is undefined. */
const absent = { value: undefined } as { readonly value: never }

const paramsDecoder = <A>(
  names: ReadonlyArray<string>,
  schema: Schema.Top | undefined,
  reader: Reader<A> | undefined
) => {
  const isRead = schema !== undefined && !takesTexts(schema, false)
  return (raw: ReadonlyArray<string>): Decoded<A> => {
    if (reader === undefined) return absent
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
    if (!isRead) return { value: values as A }
    const decoded = reader(values)
    return "value" in decoded ? decoded : notFound
  }
}

/** Why a part was not decoded, and what of it is unknown: it may be the slip that explains the failure. */
const explained = ({ failure }: Undecoded, unknown: ReadonlyArray<Issue>): Undecoded =>
  failure._tag === "ValidationFailed" && unknown.length > 0
    ? { failure: new ValidationFailed({ issues: [...failure.issues, ...unknown] }) }
    : { failure }

/** Decodes a value; beside it stands what of the value is unknown. */
const read = <A>(value: unknown, reader: Reader<A> | undefined, unknown: ReadonlyArray<Issue>): DecodedPart<A> => {
  const decoded = reader === undefined ? absent : reader(value)
  if ("failure" in decoded) return explained(decoded, unknown)
  return unknown.length === 0 ? decoded : { value: decoded.value, unknown }
}

const queryDecoder = <A>(schema: Schema.Top | undefined, reader: Reader<A> | undefined) => {
  const lists = listsOf(schema)
  const unknownIn = unknownParametersOf(namesOf(schema))
  const decode = (text: string): DecodedPart<A> => {
    const values = readQuery(text, lists)
    if (values !== undefined) return read(values, reader, text === "" ? [] : unknownIn(values))
    return reader === undefined ? absent : { failure: invalid("", "The query's %-encoding is broken") }
  }
  // Most calls have the query of the call before, or none, and one always decodes to the same: 0.5 µs of metadata
  // (`hub bench registry`).
  let last: { readonly text: string; readonly decoded: DecodedPart<A> } | undefined
  return (text: string): DecodedPart<A> => {
    if (last !== undefined && last.text === text) return last.decoded
    const decoded = decode(text)
    if (text.length <= keptQueryCharsMax && "value" in decoded) last = { text, decoded }
    return decoded
  }
}

const headersDecoder = <A>(
  names: ReadonlyArray<string>,
  schema: Schema.Top | undefined,
  reader: Reader<A> | undefined
) => {
  const isRead = schema !== undefined && !takesTexts(schema, true)
  let noHeaders: Decoded<A> | undefined
  return (values: ReadonlyArray<string>): Decoded<A> => {
    if (reader === undefined) return absent
    // most calls have none, which always decode to the same value
    let named: Record<string, string> | undefined
    for (let at = 0; at < names.length; at++) {
      if (values[at] === "") continue
      named ??= {}
      named[names[at]!] = values[at]!
    }
    if (named !== undefined) return isRead ? reader(named) : { value: named as A }
    noHeaders ??= reader({})
    return noHeaders
  }
}

// a half would be refused, with all else that the frame says, by a daemon that parses strictly
const wholeText = (text: string, extent: JsonExtent | undefined): string =>
  extent === undefined || extent.repaired !== undefined ? withWholeCharacters(text) : text

const payloadDecoder = <A>(bytesMax: number, schema: Schema.Top | undefined) => {
  const reader = readerOf<A>(schema)
  const unknownIn = unknownMembersOf(schema)
  return (body: Body | undefined): DecodedPart<A> => {
    if (reader === undefined || body === undefined) return absent
    if (body.kind === "too large") return { failure: new PayloadTooLarge({ limit: bytesMax }) }
    if (body.kind === "no room") return { failure: new Overloaded({ retryAfter: overloadRetrySeconds }) }
    if (body.kind === "misread") return { failure: invalid("", "The sizes of the body's chunks are not plain numbers") }
    if (body.kind === "no text") return { failure: invalid("", "The body is not valid UTF-8") }
    // a text nests less than it is long
    const extent = body.text.length > jsonDepthMax ? bodyExtent(body) : undefined
    if (extent !== undefined && extent.values > bodyValuesMax)
      return { failure: invalid("", `The body holds more than ${bodyValuesMax} values`) }
    let value: unknown
    try {
      value = isBlank(body.text) ? {} : JSON.parse(wholeText(body.text, extent))
    } catch {
      return { failure: invalid("", "The body is not valid JSON") }
    }
    // said of JSON only
    if (extent !== undefined && extent.depth > jsonDepthMax) {
      return { failure: invalid("", `The body nests deeper than ${jsonDepthMax} levels`) }
    }
    return read(value, reader, unknownIn(value))
  }
}

/** Builds the decoders of an endpoint. A part that the contract does not name decodes to undefined. */
export const decodersOf = <E extends DescribedEndpoint>(endpoint: E, bytesMax: number) => {
  const params = readerOf<Part<E["~Params"]>>(endpoint.params)
  const query = readerOf<Part<E["~Query"]>>(endpoint.query && Schema.toCodecArrayFromSingle(endpoint.query))
  const headers = readerOf<Part<E["~Headers"]>>(endpoint.headers)
  const payload = unionOf(endpoint.payload.get("application/json")?.schemas)
  const headerNames = namesOf(endpoint.headers)
  return {
    takesBody: payload !== undefined,
    /** Whether an empty body does not do. */
    needsBody: payload !== undefined && "failure" in (readerOf(payload)?.({}) ?? {}),
    /** The headers that the contract names (in lower case). */
    headerNames,
    /** Takes the parameters as they appear in the path, in order. */
    params: paramsDecoder(parameterNames(endpoint.path), endpoint.params, params),
    query: queryDecoder(endpoint.query, query),
    /** Takes the values of the headers that the contract names, in that order; "" for an absent one. */
    headers: headersDecoder(headerNames, endpoint.headers, headers),
    /** An empty body counts as `{}`. */
    payload: payloadDecoder<Part<E["~Payload"]>>(bytesMax, payload)
  }
}

/** The decoders of one endpoint. */
export type Decoders = ReturnType<typeof decodersOf<DescribedEndpoint>>
