/** Maps what node-postgres throws to Effect's SQL errors. Owns the table of SQLSTATEs; decides nothing for callers. */
import { SqlError } from "effect/sql"
import pg from "pg"

const byCode: Record<
  string,
  (fields: { cause: unknown; message: string; operation: string }) => SqlError.SqlErrorReason
> = {
  "40001": (fields) => new SqlError.SerializationError(fields),
  "40P01": (fields) => new SqlError.DeadlockError(fields),
  "55P03": (fields) => new SqlError.LockTimeoutError(fields),
  "57014": (fields) => new SqlError.StatementTimeoutError(fields),
  "42501": (fields) => new SqlError.AuthorizationError(fields),
  "28P01": (fields) => new SqlError.AuthenticationError(fields),
  "28000": (fields) => new SqlError.AuthenticationError(fields)
}

/** The class of a failure by its SQLSTATE; what has none came from the connection. */
export const classify = (cause: unknown, operation: string): SqlError.SqlError => {
  const message = cause instanceof Error ? cause.message : String(cause)
  const fields = { cause, message, operation }
  if (!(cause instanceof pg.DatabaseError))
    return new SqlError.SqlError({ reason: new SqlError.ConnectionError(fields) })
  const code = cause.code ?? ""
  if (code === "23505") {
    return new SqlError.SqlError({
      reason: new SqlError.UniqueViolation({ ...fields, constraint: cause.constraint ?? "" })
    })
  }
  const known = byCode[code]
  if (known !== undefined) return new SqlError.SqlError({ reason: known(fields) })
  if (code.startsWith("23")) return new SqlError.SqlError({ reason: new SqlError.ConstraintError(fields) })
  if (code.startsWith("42")) return new SqlError.SqlError({ reason: new SqlError.SqlSyntaxError(fields) })
  if (code.startsWith("08") || code.startsWith("57P")) {
    return new SqlError.SqlError({ reason: new SqlError.ConnectionError(fields) })
  }
  return new SqlError.SqlError({ reason: new SqlError.UnknownError(fields) })
}

// Two rows for one, data exceptions, violated constraints, limits of computation: the same rows always fail again.
const ofTheRows = ["21", "22", "23", "54"]

/** The class of a failure as a word; empty for what is none of SQL. */
export const classOf = (failure: unknown): string => (SqlError.isSqlError(failure) ? failure.reason._tag : "")

/**
 * Whether a failure of the store is the fault of the rows that were given: tried again with them it fails again, and
 * without the one at fault it succeeds. Everything else passes with time.
 */
export const rowsFault = ({ cause: failure }: { readonly cause?: unknown }): boolean => {
  const cause = SqlError.isSqlError(failure) ? failure.reason.cause : undefined
  return cause instanceof pg.DatabaseError && ofTheRows.includes((cause.code ?? "").slice(0, 2))
}

// Out of disk, memory or files; failures of the system; of the database itself; a server that only reads; a file that
// may not be written.
const ofTheState = ["53", "58", "XX"]
const ofTheStateWhole = ["25006", "42501"]

/** Whether a statement failed by the state of the database, so that others may fail too. */
export const isOfState = (cause: unknown): boolean => {
  const code = cause instanceof pg.DatabaseError ? (cause.code ?? "") : ""
  return ofTheState.includes(code.slice(0, 2)) || ofTheStateWhole.includes(code)
}

/** Whether the connection of this failure must not be used again. */
export const isBroken = (cause: unknown): boolean =>
  !(cause instanceof pg.DatabaseError) || (cause.code ?? "").startsWith("08") || (cause.code ?? "").startsWith("57P")
