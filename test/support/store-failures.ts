/** Failures of a store as Postgres makes them. Owns the way from a SQLSTATE to the failure that a caller is given. */
import pg from "pg"
import { StoreFailed } from "../../src/errors.ts"
import { classify } from "../../src/store/sql/sql-errors.ts"

/** The failure of a statement that Postgres answered with this SQLSTATE. */
export const failedWith = (sqlState: string): StoreFailed => {
  const cause = Object.assign(new pg.DatabaseError(`answered ${sqlState}`, 1, "error"), { code: sqlState })
  return new StoreFailed({ operation: "test", cause: classify(cause, "query") })
}
