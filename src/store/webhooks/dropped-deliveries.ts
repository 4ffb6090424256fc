/**
 * Counts deliveries that were dropped because their account had too many pending, for display on their webhooks. Owns
 * those two columns.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreFailed } from "../../errors.ts"
import * as query from "../sql/query.ts"

/** What was dropped of one webhook. */
export interface DropRow {
  readonly webhookId: string
  readonly number: number
  readonly at: number
}

/** The store of drops. */
export class Drops extends Context.Service<
  Drops,
  {
    /** Adds to the counts of webhooks; ignores removed ones. */
    readonly add: (rows: ReadonlyArray<DropRow>) => Effect.Effect<void, StoreFailed>
  }
>()("hub/Drops") {
  static readonly layer = Layer.effect(Drops)(Effect.suspend(() => make))
}

const addText = `insert into webhook_health as h (webhook_id, failures, dropped, last_dropped_at)
  select g.id, 0, g.number, g.at from unnest($1::text[], $2::bigint[], $3::bigint[]) as g (id, number, at)
  where exists (select 1 from webhooks w where w.id = g.id) order by g.id
  on conflict (webhook_id) do update set dropped = h.dropped + excluded.dropped,
    last_dropped_at = greatest(h.last_dropped_at, excluded.last_dropped_at)`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return Drops.of({
    add: (rows) =>
      query.run(
        "record dropped deliveries",
        sql.unsafe(addText, [
          rows.map(({ webhookId }) => webhookId),
          rows.map(({ number }) => number),
          rows.map(({ at }) => at)
        ])
      )
  })
})
