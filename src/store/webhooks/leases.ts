/**
 * Which node holds which webhook. Owns the lease rows: taken with a growing fencing token, renewed per node in one
 * statement, free again five seconds after a node falls silent. Times are the database's, so that the nodes' clocks
 * need not agree.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreFailed } from "../../errors.ts"
import { leaseMillis } from "../../limits/delivery.ts"
import * as query from "../sql/query.ts"
import { pending } from "./delivery-states.ts"
import { servedText, type WebhookRow, webhookColumns } from "./webhooks.ts"

/** A webhook that this node now holds. */
export interface LeasedWebhookRow extends WebhookRow {
  readonly fence: number
}

/** The store of leases. */
export class Leases extends Context.Service<
  Leases,
  {
    /**
     * Takes the webhooks that are free, expired or already this node's: active ones only, none of a disabled account.
     * The others are missing from the answer.
     */
    readonly take: (
      node: string,
      webhookIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<LeasedWebhookRow>, StoreFailed>
    /** Renews all leases of a node, except those of disabled accounts; returns what it still holds. */
    readonly renew: (node: string) => Effect.Effect<ReadonlyMap<string, number>, StoreFailed>
    /** Releases leases; one that was taken again meanwhile, under a higher number, stays. */
    readonly release: (
      node: string,
      leases: ReadonlyArray<{ readonly webhookId: string; readonly fence: number }>
    ) => Effect.Effect<void, StoreFailed>
    /** Ends every lease: for a database with one user, which has just started. */
    readonly reclaim: Effect.Effect<void, StoreFailed>
    /** Webhooks, none of a disabled account, with a delivery due at `now` that no live lease holds. */
    readonly unheld: (now: number, limit: number) => Effect.Effect<ReadonlyArray<string>, StoreFailed>
    /** The present state of a held webhook; undefined when it is removed or paused, or its account disabled. */
    readonly profile: (webhookId: string) => Effect.Effect<WebhookRow | undefined, StoreFailed>
  }
>()("hub/Leases") {
  static readonly layer = Layer.effect(Leases)(Effect.suspend(() => make))
}

const takeText = `with taken as (
    insert into webhook_leases as l (webhook_id, node, fence, until)
    select w.id, $1, 1, ${query.databaseNow} + ${leaseMillis} from webhooks w where w.id = any($2::text[]) and ${servedText}
    order by w.id
    on conflict (webhook_id) do update set node = excluded.node, fence = l.fence + 1, until = excluded.until
      where l.node = excluded.node or l.until < ${query.databaseNow}
    returning webhook_id, fence
  )
  select t.fence, ${webhookColumns} from taken t join webhooks w on w.id = t.webhook_id
    left join webhook_health h on h.webhook_id = w.id`

// A loose scan: one probe of the index per webhook with pending deliveries, however many they are.
const unheldText = `with recursive pending as (
    (select webhook_id from deliveries where ${pending} order by webhook_id limit 1)
    union all
    select (select d.webhook_id from deliveries d where d.${pending} and d.webhook_id > p.webhook_id
      order by d.webhook_id limit 1)
    from pending p where p.webhook_id is not null
  )
  select p.webhook_id as id from pending p join webhooks w on w.id = p.webhook_id and ${servedText}
  where not exists (select 1 from webhook_leases l where l.webhook_id = p.webhook_id and l.until >= ${query.databaseNow})
    and exists (select 1 from deliveries d where d.webhook_id = p.webhook_id and d.${pending}
      and (d.due_at <= $1 or d.attempts = d.earlier_attempts))
  limit $2`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return Leases.of({
    take: (node, webhookIds) => query.many("take leases", sql.unsafe<LeasedWebhookRow>(takeText, [node, webhookIds])),
    renew: (node) =>
      query.attempt(
        "renew leases",
        Effect.map(
          sql.unsafe<{ id: string; fence: number }>(
            `update webhook_leases l set until = ${query.databaseNow} + ${leaseMillis} where l.node = $1
               and not exists (select 1 from webhooks w join accounts a on a.id = w.account_id and a.disabled
                 where w.id = l.webhook_id)
             returning webhook_id as id, fence`,
            [node]
          ),
          (rows) => new Map(rows.map((row) => [row.id, row.fence]))
        )
      ),
    release: (node, some) =>
      query.run(
        "release leases",
        sql.unsafe(
          `update webhook_leases l set until = 0, node = ''
             from unnest($2::text[], $3::bigint[]) as g (webhook_id, fence)
             where l.node = $1 and l.webhook_id = g.webhook_id and l.fence = g.fence`,
          [node, some.map((one) => one.webhookId), some.map((one) => one.fence)]
        )
      ),
    reclaim: query.run("reclaim leases", sql.unsafe("update webhook_leases set until = 0, node = ''")),
    unheld: (now, limit) =>
      query.many("look for due deliveries", sql.unsafe<{ id: string }>(unheldText, [now, limit]), (row) => row.id),
    profile: (webhookId) =>
      query.one(
        "read a held webhook",
        sql.unsafe<WebhookRow>(
          `select ${webhookColumns} from webhooks w left join webhook_health h on h.webhook_id = w.id
             where w.id = $1 and ${servedText}`,
          [webhookId]
        )
      )
  })
})
