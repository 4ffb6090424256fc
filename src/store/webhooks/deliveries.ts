/**
 * Deliveries for the delivery engine: committed in batches, read when due, ended by outcomes in batches. Owns the rows
 * while they are pending. delivery-history.ts shows and resends them, delivery-retention.ts prunes them.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AttemptError } from "../../domain/webhook/delivery.ts"
import type { StoreFailed } from "../../errors.ts"
import { arrayText } from "../sql/array-text.ts"
import { makePrecedence } from "../sql/precedence.ts"
import * as query from "../sql/query.ts"
import { attempted, pending, stateCodes } from "./delivery-states.ts"

/** One delivery to commit. */
export interface NewDelivery {
  readonly id: string
  readonly webhookId: string
  readonly event: string
  readonly body: string
  readonly createdAt: number
  /** The daemon's own number of the event: committed once. */
  readonly dedupe: { readonly daemonId: string; readonly id: string } | undefined
  /** The trace of its event, as tracing/trace-context.ts reads it, where that is kept. */
  readonly trace?: string | undefined
}

/** A pending delivery. `attempts` made in all, `earlierAttempts` of them before it was resent. */
export interface PendingDelivery {
  readonly id: string
  readonly webhookId: string
  readonly event: string
  readonly body: string
  readonly attempts: number
  readonly earlierAttempts: number
  readonly maxAttempts: number
  readonly dueAt: number
  readonly createdAt: number
  readonly trace?: string | null | undefined
}

/** The outcome of one attempt. `dueAt` is set when another will follow. */
export interface OutcomeRow {
  readonly deliveryId: string
  readonly webhookId: string
  /** Attempts made in all, this one included. */
  readonly attempts: number
  readonly state: "succeeded" | "failed" | "retry"
  readonly dueAt: number
  readonly at: number
  readonly statusCode: number | undefined
  readonly error: AttemptError | undefined
  readonly body: string
  readonly truncated: boolean
  readonly durationMs: number
}

/** The health of a webhook after its last attempt. */
export interface HealthRow {
  readonly webhookId: string
  readonly failures: number
  readonly failingSince: number | undefined
  readonly lastDeliveryAt: number
  readonly lastStatusCode: number | undefined
}

/** What an event tells subscribers of a daemon's agents; stored with the event. */
export interface ToldRow {
  readonly daemonId: string
  /** When it was told. An older record changes nothing. */
  readonly at: number
  readonly states: string
}

/** What an insert committed. */
export interface Inserted {
  readonly deliveryIds: ReadonlySet<string>
  /** Numbered events that were new, as `daemon id, newline, event id`. */
  readonly fresh: ReadonlySet<string>
}

/** The name of a numbered event in `Inserted.fresh`. */
export const dedupeKey = (dedupe: { readonly daemonId: string; readonly id: string }): string =>
  `${dedupe.daemonId}\n${dedupe.id}`

/** The store of pending deliveries. */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /**
     * Commits a batch in one statement; what a daemon numbered and is already there, and what no active webhook wants,
     * is left out.
     */
    readonly insert: (
      batch: ReadonlyArray<NewDelivery>,
      maxAttempts: number,
      told?: ReadonlyArray<ToldRow>
    ) => Effect.Effect<Inserted, StoreFailed>
    /** Ends when no batch is being committed, or after `commits` of them: less urgent work lets them go first. */
    readonly unhurried: (commits: number) => Effect.Effect<void>
    /** The soonest pending deliveries of a webhook, due or not, except some. */
    readonly soonest: (
      webhookId: string,
      limit: number,
      except: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<PendingDelivery>, StoreFailed>
    /**
     * Records a batch of outcomes in one statement. An outcome of an attempt that is already recorded changes nothing.
     * A delivery that was cancelled during its attempt stays so where it would be retried, else it ends by its answer.
     */
    readonly settle: (
      outcomes: ReadonlyArray<OutcomeRow>,
      health: ReadonlyArray<HealthRow>
    ) => Effect.Effect<void, StoreFailed>
  }
>()("hub/Deliveries") {
  static readonly layer = Layer.effect(Deliveries)(Effect.suspend(() => make))
}

/** Each event once, however many deliveries it has: a body is most of what is sent. */
const insertsText = `events as (
    select * from unnest($4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[], $9::text[])
      with ordinality as e (event, body, created_at, daemon_id, event_id, trace, nth)
  ), given as (
    select g.id, g.webhook_id, e.* from unnest($1::text[], $2::text[], $3::int[]) as g (id, webhook_id, nth)
      join events e on e.nth = g.nth
  ), fresh as (
    insert into events_seen (daemon_id, event_id, at)
    select distinct on (daemon_id, event_id) daemon_id, event_id, created_at from events where daemon_id is not null
    on conflict do nothing returning daemon_id, event_id
  ), inserted as (
    insert into deliveries (id, webhook_id, event, body, created_at, state, attempts, earlier_attempts, max_attempts, due_at, at, trace)
    select g.id, g.webhook_id, g.event, g.body, g.created_at, ${stateCodes.pending}, 0, 0, $10::int, g.created_at, g.created_at, g.trace from given g
    where (g.daemon_id is null
        or exists (select 1 from fresh f where f.daemon_id = g.daemon_id and f.event_id = g.event_id))
      and exists (select 1 from webhooks w where w.id = g.webhook_id and w.active)
    returning id
  )
  select g.id as "leftOut", null as fresh from given g where not exists (select 1 from inserted i where i.id = g.id)
  union all select null, daemon_id || E'\\n' || event_id from fresh`

const insertText = `with ${insertsText}`

/**
 * The same, and what the events told of agents. Rows are locked in order of id, so that two nodes never wait in a
 * circle.
 */
const insertToldText = `with told as (
    select * from unnest($11::text[], $12::bigint[], $13::text[]) as t (daemon_id, at, states)
  ), locked as (
    select d.id from daemons d join told t on t.daemon_id = d.id order by d.id for update of d
  ), recorded as (
    update daemons d set status_told_at = t.at, status_told = t.states
    from told t join locked l on l.id = t.daemon_id
    where d.id = t.daemon_id and coalesce(d.status_told_at, 0) <= t.at
  ), ${insertsText}`

const settleText = `with given as (
    select * from unnest($1::text[], $2::int[], $3::smallint[], $4::bigint[], $5::bigint[], $6::int[], $7::text[],
        $8::text[], $9::boolean[], $10::int[])
      as g (id, attempts, state, due_at, at, status_code, error, response_body, response_truncated, duration_ms)
  ), settled as (
    update deliveries d set attempts = g.attempts, state = case when g.${pending} then d.state else g.state end,
      due_at = g.due_at,
      at = case when g.${pending} then d.at else g.at end,
      status_code = g.status_code, error = g.error,
      response_body = case when g.${pending} then null else g.response_body end,
      response_truncated = g.response_truncated, duration_ms = g.duration_ms
    from given g where d.id = g.id and not d.${attempted} and d.attempts = g.attempts - 1
    returning d.id, d.webhook_id, d.event, d.max_attempts, d.attempts, d.earlier_attempts
  ), earlier as (
    insert into attempts (delivery_id, attempt, webhook_id, shown_attempt, max_attempts, event, at, status_code, error,
      response_body, response_truncated, duration_ms)
    select s.id, s.attempts, s.webhook_id, s.attempts - s.earlier_attempts, s.max_attempts, s.event, g.at, g.status_code,
      g.error, g.response_body, g.response_truncated, g.duration_ms
    from settled s join given g on g.id = s.id where g.${pending}
    on conflict do nothing
  )
  insert into webhook_health (webhook_id, failures, failing_since, last_delivery_at, last_status_code)
  select h.* from unnest($11::text[], $12::int[], $13::bigint[], $14::bigint[], $15::int[])
    as h (webhook_id, failures, failing_since, last_delivery_at, last_status_code)
  where exists (select 1 from webhooks w where w.id = h.webhook_id)
  on conflict (webhook_id) do update set failures = excluded.failures, failing_since = excluded.failing_since,
    last_delivery_at = excluded.last_delivery_at, last_status_code = excluded.last_status_code`

/**
 * The columns of a pending delivery. One not attempted yet (since it was committed or resent) is due whatever the clock
 * said of the node that wrote it, which may be ahead of ours.
 */
const pendingColumns = `id, webhook_id as "webhookId", event, body, attempts,
  earlier_attempts as "earlierAttempts", max_attempts as "maxAttempts",
  case when attempts = earlier_attempts then 0 else due_at end as "dueAt", created_at as "createdAt", trace`

const settleValues = (rows: ReadonlyArray<OutcomeRow>, health: ReadonlyArray<HealthRow>): ReadonlyArray<unknown> => [
  arrayText(rows, (row) => row.deliveryId),
  arrayText(rows, (row) => row.attempts),
  arrayText(rows, (row) => (row.state === "retry" ? stateCodes.pending : stateCodes[row.state])),
  arrayText(rows, (row) => row.dueAt),
  arrayText(rows, (row) => row.at),
  arrayText(rows, (row) => row.statusCode ?? null),
  arrayText(rows, (row) => row.error ?? null),
  arrayText(rows, (row) => row.body),
  arrayText(rows, (row) => row.truncated),
  arrayText(rows, (row) => row.durationMs),
  arrayText(health, (row) => row.webhookId),
  arrayText(health, (row) => row.failures),
  arrayText(health, (row) => row.failingSince ?? null),
  arrayText(health, (row) => row.lastDeliveryAt),
  arrayText(health, (row) => row.lastStatusCode ?? null)
]

/** Whether two deliveries are of one event: those of one stand together, and share its body. */
const isSameEvent = (one: NewDelivery, other: NewDelivery): boolean =>
  one.body === other.body &&
  one.dedupe === other.dedupe &&
  one.event === other.event &&
  one.createdAt === other.createdAt &&
  one.trace === other.trace

const insertValues = (batch: ReadonlyArray<NewDelivery>, maxAttempts: number): ReadonlyArray<unknown> => {
  const events: Array<NewDelivery> = []
  const nth = (one: NewDelivery): number => {
    const last = events.at(-1)
    return last !== undefined && isSameEvent(one, last) ? events.length : events.push(one)
  }
  return [
    arrayText(batch, (one) => one.id),
    arrayText(batch, (one) => one.webhookId),
    arrayText(batch, nth),
    arrayText(events, (one) => one.event),
    arrayText(events, (one) => one.body),
    arrayText(events, (one) => one.createdAt),
    arrayText(events, (one) => one.dedupe?.daemonId ?? null),
    arrayText(events, (one) => one.dedupe?.id ?? null),
    arrayText(events, (one) => one.trace ?? null),
    maxAttempts
  ]
}

/** The last record of each daemon. */
const toldValues = (told: ReadonlyArray<ToldRow>): ReadonlyArray<unknown> => {
  const last = new Map<string, ToldRow>()
  for (const row of told) if (row.at >= (last.get(row.daemonId)?.at ?? 0)) last.set(row.daemonId, row)
  const rows = [...last.values()]
  return [
    arrayText(rows, (row) => row.daemonId),
    arrayText(rows, (row) => row.at),
    arrayText(rows, (row) => row.states)
  ]
}

/** A row of the insert's answer: one of both is set. */
interface InsertedRow {
  /** The id of a delivery that was not inserted: most often there is none. */
  readonly leftOut: string | null
  readonly fresh: string | null
}

const insertedOf = (batch: ReadonlyArray<NewDelivery>, rows: ReadonlyArray<InsertedRow>): Inserted => {
  const deliveryIds = new Set<string>()
  const fresh = new Set<string>()
  for (const { id } of batch) deliveryIds.add(id)
  for (const row of rows) {
    if (row.leftOut !== null) deliveryIds.delete(row.leftOut)
    else if (row.fresh !== null) fresh.add(row.fresh)
  }
  return { deliveryIds, fresh }
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const precedence = makePrecedence()
  return Deliveries.of({
    insert: (batch, maxAttempts, told = []) => {
      const values = insertValues(batch, maxAttempts)
      const inserting =
        told.length === 0
          ? sql.unsafe<InsertedRow>(insertText, values)
          : sql.unsafe<InsertedRow>(insertToldText, [...values, ...toldValues(told)])
      return precedence.first(
        query.attempt(
          "commit deliveries",
          Effect.map(inserting, (rows) => insertedOf(batch, rows))
        )
      )
    },
    unhurried: precedence.after,
    soonest: (webhookId, limit, except) =>
      query.many(
        "read due deliveries",
        sql.unsafe<PendingDelivery>(
          `select ${pendingColumns} from deliveries where webhook_id = $1 and ${pending}
             and id <> all($3::text[]) order by due_at limit $2`,
          [webhookId, limit, except]
        )
      ),
    settle: (outcomes, health) => query.run("record outcomes", sql.unsafe(settleText, settleValues(outcomes, health)))
  })
})
