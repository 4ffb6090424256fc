/**
 * How many deliveries of the whole hub wait to be made, and how many of them are late, as the metrics show it. Owns
 * that count, which has a bound, and how often it is made; a failed count leaves the last. Changes nothing. Deliveries
 * of paused webhooks and of disabled accounts do not wait.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import {
  backlogCountedMax,
  backlogLookMillis,
  deliveryLateMillis,
  sweepRestMillisMax,
  sweepRestTimes
} from "../../limits/delivery.ts"
import { watchInScope } from "../../runtime/metrics.ts"
import { repeatEvery } from "../../runtime/repeat-every.ts"
import { Timers } from "../../runtime/timers.ts"
import * as query from "../sql/query.ts"
import { pending } from "./delivery-states.ts"
import { servedText } from "./webhooks.ts"

/** The deliveries that wait. */
interface Backlog {
  readonly pending: number
  /** Those that were due before a time; without those of receivers that are known to be away. */
  readonly overdue: number
}

// The pending rows are an index of their own: what is counted is read there, and the bound ends it.
const countText = `select count(*)::int as pending,
    count(*) filter (where p.due_at < $1 and h.failing_since is null)::int as overdue
  from (
    select d.webhook_id, d.due_at from deliveries d join webhooks w on w.id = d.webhook_id
    where d.${pending} and ${servedText} limit ${backlogCountedMax}
  ) p left join webhook_health h on h.webhook_id = p.webhook_id`

/** The backlog, as stored. */
export const countBacklog = (sql: SqlClient.SqlClient, dueBefore: number) =>
  query.attempt(
    "count deliveries that wait",
    Effect.map(sql.unsafe<Backlog>(countText, [dueBefore]), (rows) => rows[0]!)
  )

const watchBacklog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { now } = yield* Timers
  let last: Backlog = { pending: 0, overdue: 0 }
  yield* watchInScope("hub_deliveries_pending", () => last.pending)
  yield* watchInScope("hub_deliveries_overdue", () => last.overdue)
  const look = Effect.map(
    Effect.suspend(() => countBacklog(sql, now() - deliveryLateMillis)),
    (found) => {
      last = found
    }
  )
  yield* repeatEvery(backlogLookMillis, "deliveries that wait could not be counted", look, {
    warnOnce: true,
    rest: { times: sweepRestTimes, millisMax: sweepRestMillisMax }
  })
})

/** Counts them while the hub runs. */
export const backlogGauges = Layer.effectDiscard(watchBacklog)
