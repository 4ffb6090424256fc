/**
 * How many deliveries of the whole hub wait to be made, and how many of them are late. Owns that count, which has a
 * bound; changes nothing. Deliveries of paused webhooks and of disabled accounts do not wait.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreFailed } from "../../errors.ts"
import { backlogCountedMax } from "../../limits/delivery.ts"
import * as query from "../sql/query.ts"
import { pending } from "./delivery-states.ts"
import { servedText } from "./webhooks.ts"

/** The deliveries that wait. */
export interface Backlog {
  readonly pending: number
  /** Those that were due before a time; without those of receivers that are known to be away. */
  readonly overdue: number
}

/** The backlog, as stored. */
export class BacklogStore extends Context.Service<
  BacklogStore,
  { readonly count: (dueBefore: number) => Effect.Effect<Backlog, StoreFailed> }
>()("hub/BacklogStore") {
  static readonly layer = Layer.effect(BacklogStore)(Effect.suspend(() => make))
}

// The pending rows are an index of their own: what is counted is read there, and the bound ends it.
const countText = `select count(*)::int as pending,
    count(*) filter (where p.due_at < $1 and h.failing_since is null)::int as overdue
  from (
    select d.webhook_id, d.due_at from deliveries d join webhooks w on w.id = d.webhook_id
    where d.${pending} and ${servedText} limit ${backlogCountedMax}
  ) p left join webhook_health h on h.webhook_id = p.webhook_id`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return BacklogStore.of({
    count: (dueBefore) =>
      query.attempt(
        "count deliveries that wait",
        Effect.map(sql.unsafe<Backlog>(countText, [dueBefore]), (rows) => rows[0]!)
      )
  })
})
