/**
 * Deliveries for integrators: one entry per attempt, newest first, and resending finished ones. Owns the entries;
 * deliveries.ts serves the engine.
 */
import { hash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { testEvent } from "../../domain/event/events.ts"
import type { AttemptError, DeliveryState } from "../../domain/webhook/delivery.ts"
import { recoverRowsMax } from "../../limits/delivery.ts"
import { recordChange } from "../accounts/recorded-change.ts"
import * as query from "../sql/query.ts"
import { attempted, finished, pending, stateCodes, stateName } from "./delivery-states.ts"

/** One entry: an attempt, or the state of a delivery without one. */
export interface DeliveryEntry {
  readonly id: string
  readonly deliveryId: string
  readonly event: string
  /** Within its cycle, from 1. */
  readonly attempt: number
  readonly maxAttempts: number
  readonly status: DeliveryState
  readonly nextAttemptAt: number | null
  readonly statusCode: number | null
  readonly error: AttemptError | null
  readonly responseBody: string | null
  readonly responseTruncated: boolean
  readonly durationMs: number | null
  readonly at: number
  /** In all: part of the cursor. */
  readonly ordinal: number
}

/** What a delivery sends, and how many attempts were made in its cycle. */
export interface StoredRequest {
  readonly event: string
  readonly body: string
  readonly createdAt: number
  readonly attempts: number
}

/** Where a page begins: after this entry. */
export interface HistoryPosition {
  readonly at: number
  readonly deliveryId: string
  readonly ordinal: number
}

/** A finished delivery of a test, stored as it ended. */
export interface TestedDelivery {
  readonly id: string
  readonly webhookId: string
  readonly event: string
  readonly body: string
  readonly createdAt: number
  readonly succeeded: boolean
  readonly at: number
  readonly statusCode: number | undefined
  readonly error: AttemptError | undefined
  readonly responseBody: string
  readonly truncated: boolean
  readonly durationMs: number
}

/** The result of a resend. */
export type Resent = "resent" | "unknown"

/**
 * The id of an entry, as the statements below make it: it follows from its delivery and number, and so stays when a
 * resend moves the attempt to a row of its own.
 */
export const entryIdOf = (deliveryId: string, ordinal: number): string =>
  `att_${hash("md5", `${deliveryId}:${ordinal}`, "hex").slice(0, 20)}`

const entryId = (delivery: string, ordinal: string): string =>
  `'att_' || left(md5(${delivery} || ':' || ${ordinal}), 20)`

// What ended without a further attempt (expired, cancelled) or has none yet shows the attempt that was to come.
const ownOrdinal = `(d.attempts + case when d.${attempted} then 0 else 1 end)`

const after = (at: string, delivery: string, ordinal: string): string =>
  `($3::bigint is null or ${at} < $3::bigint or (${at} = $3::bigint and (${delivery}, ${ordinal}) < ($4::text, $5::int)))`

const ownColumns = `${entryId("d.id", ownOrdinal)} as id, d.id as "deliveryId", d.event,
      ${ownOrdinal} - d.earlier_attempts as attempt, d.max_attempts as "maxAttempts", ${stateName("d")} as status,
      case when d.${pending} then d.due_at end as "nextAttemptAt",
      case when d.${attempted} then d.status_code end as "statusCode",
      case when d.${attempted} then d.error end as error,
      case when d.${attempted} then d.response_body end as "responseBody",
      d.${attempted} and coalesce(d.response_truncated, false) as "responseTruncated",
      case when d.${attempted} then d.duration_ms end as "durationMs"`

// What has no attempt yet in its cycle fell due when it was made, so that the index of due ones serves it in order.
const pageText = `select * from (
    (select ${ownColumns}, d.at, ${ownOrdinal} as ordinal from deliveries d
    where d.webhook_id = $1 and d.${finished} and ${after("d.at", "d.id", ownOrdinal)}
    order by d.at desc, d.id desc limit $2)
    union all
    (select ${ownColumns}, d.due_at, ${ownOrdinal} from deliveries d
    where d.webhook_id = $1 and d.${pending} and d.attempts = d.earlier_attempts
      and ${after("d.due_at", "d.id", ownOrdinal)}
    order by d.due_at desc, d.id desc limit $2)
    union all
    (select ${entryId("a.delivery_id", "a.attempt")}, a.delivery_id, a.event, a.shown_attempt, a.max_attempts,
      case when a.status_code between 200 and 299 and a.error is null then 'succeeded' else 'failed' end,
      case when d.${pending} and d.attempts = a.attempt and d.attempts > d.earlier_attempts then d.due_at end,
      a.status_code, a.error, a.response_body, coalesce(a.response_truncated, false), a.duration_ms, a.at, a.attempt
    from attempts a left join deliveries d on d.id = a.delivery_id
    where a.webhook_id = $1 and ${after("a.at", "a.delivery_id", "a.attempt")}
    order by a.at desc, a.delivery_id desc, a.attempt desc limit $2)
  ) entries order by at desc, "deliveryId" desc, ordinal desc limit $2`

const againText = (chosen: string): string => `with chosen as (${chosen}),
  moved as (
    insert into attempts (delivery_id, attempt, webhook_id, shown_attempt, max_attempts, event, at, status_code, error,
      response_body, response_truncated, duration_ms)
    select d.id, d.attempts, d.webhook_id, d.attempts - d.earlier_attempts, d.max_attempts, d.event, d.at, d.status_code,
      d.error, d.response_body, d.response_truncated, d.duration_ms
    from deliveries d join chosen c on c.id = d.id where d.${attempted}
    on conflict do nothing
  )
  update deliveries d set state = ${stateCodes.pending}, due_at = $3,
    at = $3,
    earlier_attempts = case when d.${pending} then d.earlier_attempts else d.attempts end,
    max_attempts = case when d.${pending} then d.max_attempts else $4::int end, response_body = null
  from chosen c where d.id = c.id returning d.id`

const resendText = againText("select id from deliveries where webhook_id = $1 and id = $2 for update")
const recoverText = againText(
  `select id from deliveries where webhook_id = $1 and ${finished} and created_at >= $2::bigint
     and state in (${stateCodes.failed}, ${stateCodes.expired}) and event <> '${testEvent}'
   order by at, id limit ${recoverRowsMax} for update`
)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    page: (webhookId: string, limit: number, after: HistoryPosition | undefined) =>
      query.many(
        "list deliveries",
        sql.unsafe<DeliveryEntry>(pageText, [
          webhookId,
          limit,
          after?.at ?? null,
          after?.deliveryId ?? null,
          after?.ordinal ?? null
        ])
      ),
    /** What a delivery of this webhook sends; undefined where it is not kept. */
    request: (webhookId: string, deliveryId: string) =>
      query.one(
        "read a delivery",
        sql<StoredRequest>`select event, body, created_at as "createdAt", attempts - earlier_attempts as attempts
          from deliveries
          where id = ${deliveryId} and webhook_id = ${webhookId}`
      ),
    test: (one: TestedDelivery) =>
      query.run(
        "record a test",
        sql.unsafe(
          `insert into deliveries (id, webhook_id, event, body, created_at, state, attempts, earlier_attempts,
              max_attempts, due_at, at, status_code, error, response_body, response_truncated, duration_ms)
             values ($1, $2, $3, $4, $5, $6, 1, 0, 1, $5, $7, $8, $9, $10, $11, $12)`,
          [
            one.id,
            one.webhookId,
            one.event,
            one.body,
            one.createdAt,
            one.succeeded ? stateCodes.succeeded : stateCodes.failed,
            one.at,
            one.statusCode ?? null,
            one.error ?? null,
            one.responseBody,
            one.truncated,
            one.durationMs
          ]
        )
      ),
    /** Makes a delivery due now, with a fresh cycle of attempts when it had ended. */
    resend: (webhookId: string, deliveryId: string, maxAttempts: number, now: number) =>
      query.attempt(
        "resend a delivery",
        Effect.map(
          recordChange(sql, sql.unsafe(resendText, [webhookId, deliveryId, now, maxAttempts]), ({ length }) =>
            length === 0 ? undefined : { action: "webhook.resent", object: webhookId, detail: deliveryId }
          ),
          (rows) => (rows.length > 0 ? ("resent" as const) : ("unknown" as const))
        )
      ),
    /** The same for all that failed or expired and were created at `since` or later, oldest first; how many. */
    recover: (webhookId: string, since: number, maxAttempts: number, now: number) =>
      query.affected(
        "recover deliveries",
        recordChange(sql, sql.unsafe(recoverText, [webhookId, since, now, maxAttempts]), ({ length }) => ({
          action: "webhook.recovered",
          object: webhookId,
          detail: String(length)
        }))
      )
  }
})

export class DeliveryHistory extends Context.Service<DeliveryHistory, Effect.Success<typeof make>>()(
  "hub/DeliveryHistory"
) {
  static readonly layer = Layer.effect(DeliveryHistory, make)
}
