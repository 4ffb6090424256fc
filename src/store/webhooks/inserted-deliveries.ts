/**
 * Deliveries that a statement inserts beside what they tell of, so that both are one transaction. Owns that part of a
 * statement's text and its parameters; runs nothing.
 */
import type { NewDelivery } from "./deliveries.ts"

/** The deliveries of many causes (daemons, commands), as the columns that a statement takes. */
export const deliveryColumns = <A extends { readonly deliveries: ReadonlyArray<NewDelivery> }>(
  of: ReadonlyArray<A>,
  causeOf: (one: A) => string
): ReadonlyArray<ReadonlyArray<unknown>> => {
  const rows = of.flatMap((one) => one.deliveries.map((delivery) => ({ ...delivery, cause: causeOf(one) })))
  return [
    rows.map(({ id }) => id),
    rows.map(({ cause }) => cause),
    rows.map(({ webhookId }) => webhookId),
    rows.map(({ event }) => event),
    rows.map(({ body }) => body),
    rows.map(({ createdAt }) => createdAt),
    rows.map(({ trace }) => trace ?? null)
  ]
}

/**
 * Inserts the deliveries of the causes that `told` selects, as `inserted`. The parameters begin at `first`: the
 * attempts of a delivery, then the columns.
 */
export const insertedText = (first: number, told: string): string => `inserted as (
    insert into deliveries (id, webhook_id, event, body, created_at, state, attempts, earlier_attempts, max_attempts, due_at, at, trace)
    select g.id, g.webhook_id, g.event, g.body, g.created_at, 0, 0, 0, $${first}::int, g.created_at, g.created_at, g.trace
    from unnest($${first + 1}::text[], $${first + 2}::text[], $${first + 3}::text[], $${first + 4}::text[],
      $${first + 5}::text[], $${first + 6}::bigint[], $${first + 7}::text[]) as g (id, cause, webhook_id, event, body, created_at, trace)
    where g.cause in (${told}) and exists (select from webhooks w where w.id = g.webhook_id and w.active)
    returning id
  )`
