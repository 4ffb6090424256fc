/**
 * Counts what the store keeps for an account: pending deliveries per webhook, outcomes under idempotency keys, and
 * commands that outlive their call. Owns the counting, in statements that each read a bounded number of rows; changes
 * nothing.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { isPlan, type Plan } from "../../domain/account/plans.ts"
import type { Volume } from "../../domain/account/volume.ts"
import type { StoreFailed } from "../../errors.ts"
import { volumeRowsMax, volumeWebhooksMax } from "../../limits/volumes.ts"
import * as query from "../sql/query.ts"
import { pending } from "../webhooks/delivery-states.ts"

/** What an account holds, by part, and under which plan. */
export interface Counted {
  /** Undefined: there is no such account. */
  readonly plan: Plan | undefined
  readonly parts: ReadonlyMap<string, Volume>
  /** When the oldest began, where known. */
  readonly oldest: number | undefined
}

/** Counts what an account holds. */
export type Count = (accountId: string) => Effect.Effect<Counted, StoreFailed>

/** The one part of outcomes. */
export const outcomesPart = "outcomes"

/** The one part of commands. */
export const commandsPart = "commands"

export class Volumes extends Context.Service<
  Volumes,
  {
    /** Pending deliveries by webhook, and the bytes of their bodies and of the answers to their attempts. */
    readonly pending: Count
    /** Outcomes and running calls, and the bytes of the outcomes' bodies. */
    readonly outcomes: Count
    /** Commands that outlive their call, and the bytes of their results. */
    readonly commands: Count
  }
>()("hub/Volumes") {
  static readonly layer = Layer.effect(Volumes)(Effect.suspend(() => make))
}

// One row when the account exists, whatever it has.
const waitingText = `select a.plan, w.id from accounts a
  left join webhooks w on w.account_id = a.id
    and exists (select 1 from deliveries d where d.webhook_id = w.id and d.${pending})
  where a.id = $1`

// A page ends with everything that fell due in its last millisecond, so that nothing is lost between two pages.
const pendingText = `select g.id, p.last, p.rows >= ${volumeRowsMax} as more, c.number, c.bytes
  from unnest($1::text[], $2::bigint[]) as g (id, after)
  cross join lateral (
    select max(due_at) as last, count(*) as rows from (
      select due_at from deliveries where webhook_id = g.id and ${pending} and due_at > g.after
      order by due_at limit ${volumeRowsMax}
    ) page
  ) p
  cross join lateral (
    select count(*) as number, coalesce(sum(octet_length(d.body) + a.bytes), 0)::bigint as bytes from deliveries d
    cross join lateral (
      select case when d.attempts = 0 then 0 else (
        select coalesce(sum(octet_length(response_body)), 0) from attempts where delivery_id = d.id
      ) end as bytes
    ) a
    where d.webhook_id = g.id and d.${pending} and d.due_at > g.after and d.due_at <= p.last
  ) c`

const outcomesText = `with after as (select $2::text as route, $3::text as key),
  page as (
    select i.route, i.key, i.started_at, i.body from idempotency i
    where i.account_id = $1 and (i.route, i.key) > (select route, key from after)
    order by i.route, i.key limit ${volumeRowsMax}
  )
  select (select plan from accounts where id = $1) as plan, count(*) as number,
    coalesce(sum(octet_length(body)), 0)::bigint as bytes, min(started_at) as oldest,
    (array_agg(route order by route desc, key desc))[1] as route,
    (array_agg(key order by route desc, key desc))[1] as key
  from page`

const commandsText = `with page as (
    select created_at, finished_at, id, result from commands
    where account_id = $1 and (created_at, id) > ($2::bigint, $3::text) order by created_at, id limit ${volumeRowsMax}
  )
  select (select plan from accounts where id = $1) as plan, count(*) as number,
    coalesce(sum(octet_length(result)), 0)::bigint as bytes, min(finished_at) as oldest, max(created_at) as at,
    (array_agg(id order by created_at desc, id desc))[1] as id
  from page`

interface PendingPage extends Volume {
  readonly id: string
  readonly last: number | null
  readonly more: boolean
}

/** A page of rows in order; its other columns are the place of the last. */
interface Page extends Volume {
  readonly plan: string | null
  readonly oldest: number | null
}

interface OutcomesPage extends Page {
  readonly route: string | null
  readonly key: string | null
}

interface CommandsPage extends Page {
  readonly at: number | null
  readonly id: string | null
}

const planOf = (word: string | null | undefined): Plan | undefined =>
  word !== null && word !== undefined && isPlan(word) ? word : undefined

/** Adds up pages, from the first place on, until one is not full. */
const paged = <P extends Page>(
  sql: SqlClient.SqlClient,
  text: string,
  part: string,
  first: ReadonlyArray<unknown>,
  placeOf: (page: P) => ReadonlyArray<unknown>
) =>
  Effect.fnUntraced(function* (accountId: string) {
    const all = { number: 0, bytes: 0 }
    let oldest: number | undefined
    let place = first
    for (;;) {
      const [found] = yield* sql.unsafe<P>(text, [accountId, ...place])
      const page = found!
      all.number += page.number
      all.bytes += page.bytes
      if (page.oldest !== null) oldest = Math.min(page.oldest, oldest ?? page.oldest)
      if (page.number < volumeRowsMax) return { plan: planOf(page.plan), parts: new Map([[part, all]]), oldest }
      place = placeOf(page)
    }
  })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const pending = Effect.fnUntraced(function* (accountId: string) {
    const rows = yield* sql.unsafe<{ plan: string; id: string | null }>(waitingText, [accountId])
    const open = rows.flatMap(({ id }) => (id === null ? [] : [{ id, after: -1 }]))
    const parts = new Map<string, Volume>()
    while (open.length > 0) {
      const some = open.splice(0, volumeWebhooksMax)
      const values = [some.map(({ id }) => id), some.map(({ after }) => after)]
      for (const { id, last, more, number, bytes } of yield* sql.unsafe<PendingPage>(pendingText, values)) {
        const before = parts.get(id)
        parts.set(id, { number: number + (before?.number ?? 0), bytes: bytes + (before?.bytes ?? 0) })
        if (more) open.push({ id, after: last! })
      }
    }
    return { plan: planOf(rows[0]?.plan), parts, oldest: undefined }
  })

  const outcomes = paged<OutcomesPage>(sql, outcomesText, outcomesPart, ["", ""], ({ route, key }) => [route, key])
  const commands = paged<CommandsPage>(sql, commandsText, commandsPart, [-1, ""], ({ at, id }) => [at, id])

  return Volumes.of({
    commands: (accountId) => query.attempt("count stored commands", commands(accountId)),
    pending: (accountId) => query.attempt("count pending deliveries", pending(accountId)),
    outcomes: (accountId) => query.attempt("count kept outcomes", outcomes(accountId))
  })
})
