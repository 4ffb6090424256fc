/**
 * The optional members of what callers send, in one way for every body: a member that is null is absent, as clients
 * generated from types without "absent" send it. Owns the combinators and their mark; decode.ts reads the plain ones by
 * the mark without a schema. A house rule of the contract: no body has an optional member that is not made here.
 */
import { Option, Schema, type SchemaAST, SchemaGetter } from "effect"

/** The mark: null is absent, and anything else is taken as the type takes it. */
const mark = "nullIsAbsent"

/** Whether a member was made by `optional`. */
export const nullIsAbsent = ({ annotations }: SchemaAST.AST): boolean => annotations?.[mark] === true

const described = <S extends Schema.Top>(schema: S, description: string | undefined): S =>
  description === undefined ? schema : (schema.annotate({ description }) as unknown as S)

/** Absent where it is one of these; what is written (by a typed client) is always the value itself. */
const unless = <S extends Schema.Top, F extends Schema.Top>(schema: S, from: F, absent: ReadonlyArray<unknown>) =>
  Schema.optionalKey(from).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional(
        Option.filter((value: F["Type"]): value is S["Type"] => !absent.includes(value))
      ),
      encode: SchemaGetter.transformOptional((value: Option.Option<S["Type"]>) => value as Option.Option<F["Type"]>)
    })
  )

/** An optional member of a body. */
export const optional = <S extends Schema.Top>(schema: S, description?: string) =>
  unless(schema, described(Schema.NullOr(schema), description), [null]).annotate({ [mark]: true })

/** An optional word of a body: one that is empty is absent too, as a form sends what was not filled in. */
export const optionalWord = <S extends Schema.Top>(schema: S, description?: string) =>
  unless(schema, described(Schema.Union([schema, Schema.Literal(""), Schema.Null]), description), [null, ""])

/** The same in a query, where nothing is null. */
export const queryWord = <S extends Schema.Top>(schema: S, description?: string) =>
  unless(schema, described(Schema.Union([schema, Schema.Literal("")]), description), [""])
