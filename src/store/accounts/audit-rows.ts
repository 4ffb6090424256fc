/** The columns of `audit_events`: how an event becomes a row. Owns that mapping; runs nothing. */
import type { AuditEvent } from "../../domain/account/audit-event.ts"

/** Writes events. One that is there already, counted further, takes its new count and is exported again. */
export const insertAuditText = `insert into audit_events
    (id, account_id, at, actor_kind, actor_id, action, object, detail, outcome, reason, address, node, request_id, count,
      actor_owner)
  select * from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::text[])
  on conflict (id) do update set count = excluded.count, exported = false`

/** The parameters of that statement. */
export const auditColumns = (events: ReadonlyArray<AuditEvent>): ReadonlyArray<ReadonlyArray<unknown>> => [
  events.map(({ id }) => id),
  events.map(({ accountId }) => accountId ?? null),
  events.map(({ at }) => at),
  events.map(({ actor }) => actor.kind),
  events.map(({ actor }) => actor.id ?? null),
  events.map(({ action }) => action),
  events.map(({ object }) => object ?? null),
  events.map(({ detail }) => detail ?? null),
  events.map(({ outcome }) => outcome),
  events.map(({ reason }) => reason ?? null),
  events.map(({ address }) => address ?? null),
  events.map(({ node }) => node ?? null),
  events.map(({ requestId }) => requestId ?? null),
  events.map(({ count }) => count),
  events.map(({ actor }) => actor.owner ?? null)
]
