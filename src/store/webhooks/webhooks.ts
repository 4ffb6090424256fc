/**
 * The store of webhooks. Owns their rows, their health, the version by which nodes notice changes, and the cancelling
 * of pending deliveries in the same transaction; never sees a secret in the clear.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { SubscribedNames, SubscriptionChange } from "../../domain/event/subscription.ts"
import type { StoreFailed } from "../../errors.ts"
import { deadlockRetriesMax } from "../../limits/delivery.ts"
import { type ChangeMade, recordChange } from "../accounts/recorded-change.ts"
import * as query from "../sql/query.ts"
import { pending, stateCodes } from "./delivery-states.ts"
import { subscriptionsOf } from "./webhook-subscriptions.ts"

/** A webhook. Secrets are sealed. */
export interface WebhookRow {
  readonly id: string
  readonly accountId: string
  readonly url: string
  readonly events: SubscribedNames
  readonly active: boolean
  readonly secret: string
  readonly oldSecret: string | null
  readonly oldSecretUntil: number | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly failures: number
  readonly failingSince: number | null
  readonly lastDeliveryAt: number | null
  readonly lastStatusCode: number | null
  /** Deliveries dropped because its account had too many pending, and when the last was. */
  readonly dropped: number
  readonly lastDroppedAt: number | null
  /** The daemons that it hears of; null: all. */
  readonly selector: string | null
}

export interface WebhookDraft {
  readonly id: string
  readonly accountId: string
  readonly url: string
  readonly events: SubscribedNames
  readonly secret: string
  /** The daemons that it hears of; absent or null: all. */
  readonly selector?: string | null
}

/** Changes of a webhook; undefined: unchanged. */
export interface WebhookChange {
  readonly active?: boolean | undefined
  readonly url?: string | undefined
  readonly events?: SubscriptionChange | undefined
  /** Null: it hears of all daemons from now on. */
  readonly selector?: string | null | undefined
}

/** Whether a webhook is served, for `webhooks w`: it is not paused, and its account not disabled. */
export const servedText =
  "(w.active and not exists (select 1 from accounts a where a.id = w.account_id and a.disabled))"

/** The columns of a webhook and its health, for `webhooks w left join webhook_health h`. */
export const webhookColumns = `w.id, w.account_id as "accountId", w.url, w.events, w.active, w.secret,
  w.old_secret as "oldSecret", w.old_secret_until as "oldSecretUntil", w.created_at as "createdAt",
  w.updated_at as "updatedAt", coalesce(h.failures, 0) as failures, h.failing_since as "failingSince",
  h.last_delivery_at as "lastDeliveryAt", h.last_status_code as "lastStatusCode",
  coalesce(h.dropped, 0) as dropped, h.last_dropped_at as "lastDroppedAt", w.selector`

const from = "from webhooks w left join webhook_health h on h.webhook_id = w.id"

/** What changed; `disabled` are those of the accounts that are disabled now. */
export interface Changes {
  readonly version: number
  readonly accountIds: ReadonlyArray<string>
  readonly disabled: ReadonlyArray<string>
}

// Outcomes lock the rows of a webhook in their order of arrival, cancelling in another.
const deadlocked = (error: unknown): boolean => SqlError.isSqlError(error) && error.reason._tag === "DeadlockError"

/**
 * A change of webhooks, in one transaction with the version. The version's row lock puts all changes in one order: a
 * node that has seen version n has seen all up to n. It also makes the count before an insert exact.
 */
const changing = <E>(
  sql: SqlClient.SqlClient,
  operation: string,
  made: ChangeMade & { readonly accountId: string },
  change: Effect.Effect<boolean, E>
) => {
  const { accountId } = made
  return query.attempt(
    operation,
    recordChange(
      sql,
      Effect.gen(function* () {
        const [row] = yield* sql.unsafe<{ version: number }>(
          "update webhook_version set version = version + 1 where id = 1 returning version"
        )
        yield* sql.unsafe(
          `insert into webhook_changes (account_id, version) values ($1, $2)
           on conflict (account_id) do update set version = excluded.version`,
          [accountId, row!.version]
        )
        return yield* change
      }),
      (is) => (is ? made : undefined)
    ).pipe(Effect.retry({ times: deadlockRetriesMax, while: deadlocked }))
  )
}

const some = <E>(rows: Effect.Effect<ReadonlyArray<unknown>, E>) => Effect.map(rows, (all) => all.length > 0)

const cancelPending = (sql: SqlClient.SqlClient, id: string, now: number) =>
  sql.unsafe(`update deliveries set state = ${stateCodes.cancelled}, at = $2 where webhook_id = $1 and ${pending}`, [
    id,
    now
  ])

const create = (sql: SqlClient.SqlClient) => (draft: WebhookDraft, max: number, now: number) =>
  changing(
    sql,
    "create a webhook",
    { action: "webhook.created", accountId: draft.accountId, object: draft.id, detail: draft.events.join(" ") },
    some(
      sql.unsafe(
        `insert into webhooks (id, account_id, url, events, active, secret, created_at, updated_at, selector)
         select $1, $2, $3, $4::text[], true, $5, $6, $6, $8
         where (select count(*) from webhooks where account_id = $2) < $7::bigint returning id`,
        [draft.id, draft.accountId, draft.url, draft.events, draft.secret, now, max, draft.selector ?? null]
      )
    )
  )

/** Which members change, and to what where that is a word of the hub. An address is not: it may hold a credential. */
const changedText = ({ active, url, events, selector }: WebhookChange): string =>
  [
    ...(active === undefined ? [] : [active ? "active" : "inactive"]),
    ...(url === undefined ? [] : ["url"]),
    ...(selector === undefined ? [] : ["selector"]),
    ...(events === undefined ? [] : ["events", ...events.by])
  ].join(" ")

const change = (sql: SqlClient.SqlClient) => (accountId: string, id: string, made: WebhookChange, now: number) =>
  changing(
    sql,
    "change a webhook",
    { action: "webhook.changed", accountId, object: id, detail: changedText(made) },
    Effect.gen(function* () {
      const { active, url, events, selector } = made
      const rows = yield* sql.unsafe(
        `update webhooks set active = coalesce($3, active), url = coalesce($4, url),
           events = array(select name from unnest(events) name where name <> all($5::text[])) || $9::text[], updated_at = $6,
           selector = case when $7::boolean then $8 else selector end
         where account_id = $1 and id = $2 returning id`,
        [
          accountId,
          id,
          active ?? null,
          url ?? null,
          events?.replaced ?? [],
          now,
          selector !== undefined,
          selector ?? null,
          events?.by ?? []
        ]
      )
      if (rows.length > 0 && active === false) yield* cancelPending(sql, id, now)
      return rows.length > 0
    })
  )

const remove = (sql: SqlClient.SqlClient) => (accountId: string, id: string, now: number) =>
  changing(
    sql,
    "remove a webhook",
    { action: "webhook.removed", accountId, object: id },
    Effect.gen(function* () {
      const rows = yield* sql.unsafe("delete from webhooks where account_id = $1 and id = $2 returning id", [
        accountId,
        id
      ])
      if (rows.length === 0) return false
      yield* sql.unsafe("delete from webhook_health where webhook_id = $1", [id])
      yield* cancelPending(sql, id, now)
      return true
    })
  )

const rotate =
  (sql: SqlClient.SqlClient) => (accountId: string, id: string, secret: string, oldUntil: number, now: number) =>
    changing(
      sql,
      "rotate a webhook's secret",
      { action: "webhook.secret_rotated", accountId, object: id },
      some(
        sql.unsafe(
          `update webhooks set old_secret = secret, old_secret_until = $4, secret = $3, updated_at = $5
         where account_id = $1 and id = $2 returning id`,
          [accountId, id, secret, oldUntil, now]
        )
      )
    )

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** Adds one unless the account has `max` already, inactive ones included: then false. */
    create: create(sql),
    /** Applies a change; pausing cancels pending deliveries. False when there is no such webhook. */
    change: change(sql),
    /** Removes it and cancels what is pending. False when there is no such webhook. */
    remove: remove(sql),
    /** Replaces the secret; the old one is kept until `oldUntil`. False when there is no such webhook. */
    rotate: rotate(sql),
    list: (accountId: string) =>
      query.many(
        "list webhooks",
        sql.unsafe<WebhookRow>(`select ${webhookColumns} ${from} where w.account_id = $1 order by w.created_at, w.id`, [
          accountId
        ])
      ),
    get: (accountId: string, id: string) =>
      query.one(
        "read a webhook",
        sql.unsafe<WebhookRow>(`select ${webhookColumns} ${from} where w.account_id = $1 and w.id = $2`, [
          accountId,
          id
        ])
      ),
    /** The active webhooks of an account. */
    subscriptions: subscriptionsOf(sql),
    /** Accounts whose webhooks changed, or that were disabled or enabled, after `version`, and the version now. */
    changedSince: (version: number): Effect.Effect<Changes, StoreFailed> =>
      query.attempt(
        "read which webhooks changed",
        Effect.gen(function* () {
          const [row] = yield* sql.unsafe<{ version: number }>("select version from webhook_version where id = 1")
          if (row === undefined || row.version <= version) return { version, accountIds: [], disabled: [] }
          const changed = yield* sql.unsafe<{ id: string; disabled: boolean | null }>(
            `select c.account_id as id, a.disabled from webhook_changes c left join accounts a on a.id = c.account_id
             where c.version > $1 and c.version <= $2`,
            [version, row.version]
          )
          const ids = (some: typeof changed) => some.map(({ id }) => id)
          // one that is removed by now was disabled before
          const disabled = changed.filter((one) => one.disabled !== false)
          return { version: row.version, accountIds: ids(changed), disabled: ids(disabled) }
        })
      )
  }
})

/** The store of webhooks. */
export class Webhooks extends Context.Service<Webhooks, Effect.Success<typeof make>>()("hub/Webhooks") {
  static readonly layer = Layer.effect(Webhooks, make)
}
