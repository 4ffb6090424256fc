/**
 * How a store asks: each statement has one name, which its failure bears, and says what of its rows is wanted. Owns the
 * step from SQL errors to StoreFailed; knows no table. Read as `query.one("read an account", sql`…`)`.
 */
import { Effect } from "effect"
import { SqlError } from "effect/sql"
import { StoreFailed } from "../../errors.ts"

type Failed<E> = Exclude<E, SqlError.SqlError> | StoreFailed
type Rows<A, E, R> = Effect.Effect<ReadonlyArray<A>, E, R>

/** A row of a value: what may be undefined there is null here. */
export type Nullable<A> = {
  readonly [K in keyof A]-?: undefined extends A[K] ? Exclude<A[K], undefined> | null : A[K]
}

/** The value of a row. */
export const withoutNulls = <A extends object>(row: Nullable<A>): A =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? undefined])) as A

/** Now in a statement, epoch milliseconds: by the database's clock, as those of the nodes need not agree. */
export const databaseNow = "(extract(epoch from clock_timestamp()) * 1000)::bigint"

/** Runs anything against the store, such as a transaction. */
export const attempt = <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, Failed<E>, R> =>
  Effect.mapError(effect, (error) =>
    SqlError.isSqlError(error) ? new StoreFailed({ operation, cause: error }) : (error as Exclude<E, SqlError.SqlError>)
  )

/** For a statement whose rows are of no interest. */
export const run = <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>): Effect.Effect<void, Failed<E>, R> =>
  Effect.asVoid(attempt(operation, effect))

export const many: {
  <A, E, R>(operation: string, rows: Rows<A, E, R>): Effect.Effect<ReadonlyArray<A>, Failed<E>, R>
  <A, B, E, R>(operation: string, rows: Rows<A, E, R>, of: (row: A) => B): Effect.Effect<Array<B>, Failed<E>, R>
} = <A, B, E, R>(operation: string, rows: Rows<A, E, R>, of?: (row: A) => B) =>
  Effect.map(
    attempt(operation, rows),
    (found): Array<B> => (of === undefined ? found : found.map((row) => of(row))) as Array<B>
  )

/** The first row; undefined: there is none. */
export const one: {
  <A, E, R>(operation: string, rows: Rows<A, E, R>): Effect.Effect<A | undefined, Failed<E>, R>
  <A, B, E, R>(operation: string, rows: Rows<A, E, R>, of: (row: A) => B): Effect.Effect<B | undefined, Failed<E>, R>
} = <A, B, E, R>(operation: string, rows: Rows<A, E, R>, of?: (row: A) => B) =>
  Effect.map(
    attempt(operation, rows),
    ([row]) => (row === undefined || of === undefined ? row : of(row)) as B | undefined
  )

/** How many rows a change returned. */
export const affected = <A, E, R>(operation: string, rows: Rows<A, E, R>): Effect.Effect<number, Failed<E>, R> =>
  Effect.map(attempt(operation, rows), ({ length }) => length)

/** Whether there was a row. */
export const any = <A, E, R>(operation: string, rows: Rows<A, E, R>): Effect.Effect<boolean, Failed<E>, R> =>
  Effect.map(attempt(operation, rows), ({ length }) => length > 0)

/** Whether a store call failed on this unique constraint: an answer, not a fault. */
export const violates = (error: unknown, constraint: string): boolean =>
  SqlError.isSqlError(error) && error.reason._tag === "UniqueViolation" && error.reason.constraint === constraint
