/** Many rows in a store under test, in statements that are short also on a busy machine. Owns the cutting only. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const rowsAtOnce = 1_500

/** Ids as long and as random as the hub's own, so that the order of ids is not that of their making: of row `n`. */
export const idOfRow = (prefix: string): string => `'${prefix}_' || left(md5('${prefix}' || n), 20)`

/** Inserts rows 1 to `count`: `text` selects `from generate_series($1::int, $2::int) n`. */
export const insertMany = (count: number, text: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (let from = 1; from <= count; from += rowsAtOnce) {
      yield* sql.unsafe(`${text} from generate_series($1::int, $2::int) n`, [
        from,
        Math.min(count, from + rowsAtOnce - 1)
      ])
    }
  })
