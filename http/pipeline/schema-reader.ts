/**
 * Readers: decode one parsed value by its schema. Owns the messages of validation issues, and the short way for structs
 * of plain members. decode.ts makes the values from the parts of a request.
 */
import { Cause, Exit, Option, Schema, SchemaAST, SchemaIssue } from "effect"
import {
  type Issue,
  invalid,
  type NotFound,
  type Overloaded,
  type PayloadTooLarge,
  ValidationFailed
} from "../../src/errors.ts"
import { explainedValuesMax, issuesMax } from "../../src/limits/edge.ts"
import { isRecord } from "../../src/protocol/is-record.ts"
import { nullIsAbsent } from "../api/optional.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

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

/** Why a part was not decoded. */
export interface Undecoded {
  readonly failure: ValidationFailed | NotFound | PayloadTooLarge | Overloaded
}

/** A decoded part, or the failure to answer with. */
export type Decoded<A> = { readonly value: A } | Undecoded

export type Reader<A> = (value: unknown) => Decoded<A>
interface Field {
  readonly name: string
  readonly optional: boolean
  /** Null is absent. */
  readonly nullable: boolean
  readonly fits: (value: unknown) => boolean
}

/** What is left of so many values once those of a value are taken from them; it ends where nothing is left. */
const lessValuesOf = (value: unknown, count: number): number => {
  let left = count - 1
  if (typeof value !== "object" || value === null) return left
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (left < 0) return left
    left = lessValuesOf(member, left)
  }
  return left
}

/** Whether a type is read from objects alone. One without members takes everything. */
const takesObjects = (type: SchemaAST.AST): boolean =>
  type._tag === "Union"
    ? type.types.length > 0 && type.types.every(takesObjects)
    : type._tag === "Objects" && type.propertySignatures.length + type.indexSignatures.length > 0

const bySchema = <A>(schema: Schema.Top): Reader<A> => {
  // the endpoint's types name what its schemas decode to, and its values do not
  const codec = schema as Schema.Codec<A, unknown>
  // made with the first value: a start need not wait for all of them
  let decode: ReturnType<typeof Schema.decodeUnknownExit<typeof codec>> | undefined
  let explain: typeof decode
  let isOfObjects: boolean | undefined
  return (value) => {
    decode ??= Schema.decodeUnknownExit(codec)
    const first = decode(value)
    if (Exit.isSuccess(first)) return { value: first.value }
    // the library would name the schema, which says nothing to a caller
    isOfObjects ??= takesObjects(Schema.toEncoded(schema).ast)
    if (isOfObjects && !isRecord(value)) return { failure: invalid("", "Expected an object") }
    // an issue takes a hundred times as long as the value that it is about
    explain ??= Schema.decodeUnknownExit(codec, { errors: "all" })
    const exit = lessValuesOf(value, explainedValuesMax) < 0 ? first : explain(value)
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

const filterOf = ({ checks }: SchemaAST.AST) =>
  checks?.length === 1 && checks[0]._tag === "Filter" ? checks[0].run : undefined
const finite = filterOf(Schema.Finite.ast)

/** Whether a type is `Schema.Finite`, annotated or not. */
const isFiniteNumber = (type: SchemaAST.AST): boolean =>
  type._tag === "Number" && finite !== undefined && filterOf(type) === finite

/** The predicate of a type that decodes to its input unchanged; undefined for every other type. */
const predicateOf = (type: SchemaAST.AST, nullable: boolean): Field["fits"] | undefined => {
  if (nullable && isFiniteNumber(type)) return Number.isFinite
  if (type.checks !== undefined || (type.encoding !== undefined && !nullable)) return undefined
  if (type._tag === "String") return (value) => typeof value === "string"
  // only where null is absent: it decodes JSON's numbers as they are
  if (type._tag === "Number" && nullable) return (value) => typeof value === "number"
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
 * Whether a struct takes each text under each of its names, so that texts under these names need no reader; `some`: not
 * all names must be there.
 */
export const takesTexts = (schema: Schema.Top, some: boolean): boolean =>
  schema.ast._tag === "Objects" &&
  plainFields(schema) !== undefined &&
  schema.ast.propertySignatures.every(({ type }) => type._tag === "String" && SchemaAST.isOptional(type) === some)

/**
 * The decoder of a freshly parsed value. Where the contract asks for strings, flags and plain objects only, a valid
 * value needs no schema, which costs about twelve times as much; the schema runs only to describe what is wrong.
 */
export const readerOf = <A>(schema: Schema.Top | undefined): Reader<A> | undefined => {
  if (schema === undefined) return undefined
  const whole = bySchema<A>(schema)
  const fields = plainFields(schema)
  if (fields === undefined) return whole
  return (given) => {
    if (!isRecord(given)) return whole(given)
    const value: Record<string, unknown> = {}
    for (const { name, optional, nullable, fits } of fields) {
      const member = given[name] === null && nullable ? undefined : given[name]
      if (member === undefined ? !optional : !fits(member)) return whole(given)
      if (member !== undefined) value[name] = member
    }
    return { value: value as A }
  }
}

/** The union of schemas; undefined for none. */
export const unionOf = (schemas: ReadonlyArray<Schema.Top> | undefined): Schema.Top | undefined =>
  schemas === undefined || schemas.length === 0 ? undefined : schemas.length === 1 ? schemas[0]! : Schema.Union(schemas)
