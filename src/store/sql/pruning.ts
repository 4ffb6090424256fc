/**
 * How old rows go: the oldest first, so many in a statement, and none that another node just works on. Owns the
 * statement, and the rounds until none is left; callers say which rows are old.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { StoreFailed } from "../../errors.ts"
import { prunedRowsMax } from "../../limits/store.ts"
import * as query from "./query.ts"

/** The rows of a table, by their key, that have a time in `by` before this one. Returns how many were removed. */
export const prune = (
  sql: SqlClient.SqlClient,
  operation: string,
  {
    table,
    key,
    by,
    before
  }: { readonly table: string; readonly key: string; readonly by: string; readonly before: number }
): Effect.Effect<number, StoreFailed> =>
  query.affected(
    operation,
    sql.unsafe(
      `delete from ${table} where (${key}) in (
         select ${key} from ${table} where ${by} < $1 order by ${by} limit ${prunedRowsMax} for update skip locked
       ) returning 1`,
      [before]
    )
  )

/** Repeats a step while it finds as many rows as it takes at once; others have their turn between. */
export const whileFull = <E>(step: Effect.Effect<number, E>, rowsMax: number = prunedRowsMax): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    while ((yield* step) >= rowsMax) yield* Effect.yieldNow
  })
