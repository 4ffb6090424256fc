/**
 * Optional members of request bodies: null counts as absent, because clients generated from types without "absent" send
 * null. Owns the combinators and their annotation, by which decode.ts decodes plain members without a schema. Every
 * optional member of a body must be made here.
 */
import { Option, Schema, SchemaAST, SchemaGetter } from "effect"

/** The annotation: null is absent, and the type decodes everything else. */
const mark = "nullIsAbsent"

/** Whether a member was made by `optional`. Of a type with checks the last of them bears the annotation. */
export const nullIsAbsent = (type: SchemaAST.AST): boolean => SchemaAST.resolve(type)?.[mark] === true

const described = <S extends Schema.Top>(schema: S, description: string | undefined): S =>
  description === undefined ? schema : (schema.annotate({ description }) as unknown as S)

/** Decodes these values as absent. A typed client always encodes the value itself. */
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

/** An optional word of a body: an empty one is absent too, because forms send empty fields. */
export const optionalWord = <S extends Schema.Top>(schema: S, description?: string) =>
  unless(schema, described(Schema.Union([schema, Schema.Literal(""), Schema.Null]), description), [null, ""])

/** The same in a query, where nothing is null. */
export const queryWord = <S extends Schema.Top>(schema: S, description?: string) =>
  unless(schema, described(Schema.Union([schema, Schema.Literal("")]), description), [""])
