/**
 * Retention of deliveries: finished ones are pruned (after seven days, above 500 per webhook, or with their webhook),
 * parked ones and those of disabled accounts expire, and those committed while their webhook was removed are cancelled.
 * Owns those small statements; never prunes pending ones.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import {
  deliveriesPerWebhookMax,
  deliveryKeepMillis,
  eventSeenMillis,
  eventsSeenPerDaemonMax,
  parkedMillisMax,
  upkeepRowsMax
} from "../../limits/delivery.ts"
import * as query from "../sql/query.ts"
import { finished, pending, stateCodes } from "./delivery-states.ts"

// A loose scan of a partial index: one probe per webhook, however many rows it has.
const looseScan = (name: string, rows: string): string => `${name} as (
    (select webhook_id from deliveries where ${rows} and webhook_id > $1 order by webhook_id limit 1)
    union all
    select (select d.webhook_id from deliveries d where d.${rows} and d.webhook_id > k.webhook_id
      order by d.webhook_id limit 1)
    from ${name} k where k.webhook_id is not null
  )`

const webhooksText = `with recursive ${looseScan("pending", pending)}, ${looseScan("finished", finished)}
  select id from (
    (select webhook_id as id from pending limit $2) union (select webhook_id from finished limit $2)
  ) known where id is not null order by id limit $2`

const pruneText = `with kept as (
    select at, id from deliveries where webhook_id = $1 and ${finished} order by at desc, id desc
    offset ${deliveriesPerWebhookMax} limit 1
  ), gone as (
    delete from deliveries where id in (
      select id from deliveries
      where webhook_id = $1 and ${finished}
        and (at <= $2::bigint - ${deliveryKeepMillis} or (at, id) <= (select at, id from kept)
          or not exists (select 1 from webhooks w where w.id = $1))
      order by at, id limit ${upkeepRowsMax}
    ) returning id
  ), earlier as (delete from attempts a using gone g where a.delivery_id = g.id)
  select count(*) as count from gone`

const endText = `with fate as (
    select case
      when w.id is null or not w.active then ${stateCodes.cancelled}
      when a.disabled or h.failing_since <= $2::bigint - ${parkedMillisMax} then ${stateCodes.expired}
    end as state
    from (select $1::text as id) one left join webhooks w on w.id = one.id
      left join webhook_health h on h.webhook_id = one.id left join accounts a on a.id = w.account_id
  ), ended as (
    update deliveries d set state = f.state, at = $2 from fate f
    where f.state is not null and d.id in (
      select id from deliveries where webhook_id = $1 and ${pending}
        and ((select state from fate) = ${stateCodes.cancelled} or at <= $2::bigint - ${parkedMillisMax})
      order by due_at limit ${upkeepRowsMax}
    ) returning d.id
  )
  select count(*) as count from ended`

const forgetText = `with gone as (
    delete from events_seen where (daemon_id, event_id) in (
      select daemon_id, event_id from events_seen where at <= $1::bigint - ${eventSeenMillis} limit ${upkeepRowsMax}
    ) returning 1
  )
  select count(*) as count from gone`

const forgetBeyondText = `with gone as (
    delete from events_seen where daemon_id = $1 and event_id in (
      select event_id from events_seen where daemon_id = $1
      order by at desc, event_id desc offset ${eventsSeenPerDaemonMax} limit ${upkeepRowsMax}
    ) returning 1
  )
  select count(*) as count from gone`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const counted = (operation: string, text: string, values: ReadonlyArray<unknown>) =>
    query.attempt(
      operation,
      Effect.map(sql.unsafe<{ count: number }>(text, values), (rows) => rows[0]?.count ?? 0)
    )
  return {
    /** The next webhooks (by id, after `after`) that have deliveries, gone ones included. */
    webhooksAfter: (after: string, limit: number) =>
      query.many(
        "list webhooks with deliveries",
        sql.unsafe<{ id: string }>(webhooksText, [after, limit]),
        (row) => row.id
      ),
    /** Removes finished deliveries of a webhook that are too old or too many, or whose webhook is gone. */
    prune: (webhookId: string, now: number) => counted("prune deliveries", pruneText, [webhookId, now]),
    /**
     * Expires parked deliveries of a failing webhook or a disabled account; cancels the pending ones of one that is
     * paused or gone.
     */
    end: (webhookId: string, now: number) => counted("end parked deliveries", endText, [webhookId, now]),
    /** Deletes records of numbered events that are too old. */
    forget: (now: number) => counted("forget numbered events", forgetText, [now]),
    /** Deletes a daemon's records of numbered events beyond its newest. */
    forgetBeyond: (daemonId: string) => counted("forget numbered events of a daemon", forgetBeyondText, [daemonId]),
    /** Reclaims the space of dead rows in every table: the embedded database does not do so by itself. */
    vacuum: query.run("reclaim space", sql.unsafe("vacuum (analyze)").unprepared)
  }
})

/**
 * Retention of deliveries. Each call is one small statement and returns how much it did: the caller repeats it while it
 * is full.
 */
export class DeliveryRetention extends Context.Service<DeliveryRetention, Effect.Success<typeof make>>()(
  "hub/DeliveryRetention"
) {
  static readonly layer = Layer.effect(DeliveryRetention, make)
}
