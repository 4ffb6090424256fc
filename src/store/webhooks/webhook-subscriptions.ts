/** What the dispatcher keeps in memory of the webhooks of an account. Owns how it is read; writes nothing. */
import { Effect, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { readSelector, type Selector } from "../../domain/daemon/selector.ts"
import type { SubscribedNames } from "../../domain/event/subscription.ts"
import * as query from "../sql/query.ts"

/** A subscription: the part of a webhook that says what it wants. */
export interface WebhookSubscription {
  readonly id: string
  readonly events: SubscribedNames
  /** The daemons that it hears of; absent: all. */
  readonly selector?: Selector
}

/** The subscriptions of an account; `disabled`: its events are neither accepted nor sent. */
export type WebhookSubscriptions = ReadonlyArray<WebhookSubscription> | "disabled"

/** `disabled` is of the account; without an id it has no active webhook. */
interface Row {
  readonly disabled: boolean | null
  readonly id: string | null
  readonly events: ReadonlyArray<string>
  readonly selector: string | null
}

const interestOf = ({ id, events, selector }: Row): ReadonlyArray<WebhookSubscription> => {
  if (id === null) return []
  if (selector === null) return [{ id, events }]
  const read = readSelector(selector)
  // one that cannot be read must not tell of every daemon
  return Result.isSuccess(read) ? [{ id, events, selector: read.success }] : []
}

/** Those of the active webhooks of an account. */
export const subscriptionsOf = (sql: SqlClient.SqlClient) => (accountId: string) =>
  query.attempt(
    "read who wants events",
    Effect.map(
      sql.unsafe<Row>(
        `select a.disabled, w.id, w.events, w.selector from (select $1::text as id) one
         left join accounts a on a.id = one.id left join webhooks w on w.account_id = one.id and w.active`,
        [accountId]
      ),
      (rows): WebhookSubscriptions => (rows[0]?.disabled === true ? "disabled" : rows.flatMap(interestOf))
    )
  )
