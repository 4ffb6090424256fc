/**
 * The audit log. Rows outlive their account, and go by age. `exported` is false until the row, as it is now, was handed
 * to the audit sink; `audit_sink` says which node hands rows over, and until when.
 */
export const statements: ReadonlyArray<string> = [
  `create table audit_events (
    id text primary key,
    account_id text,
    at bigint not null,
    actor_kind text not null,
    actor_id text,
    action text not null,
    object text,
    detail text,
    outcome text not null,
    reason text,
    address text,
    node text,
    request_id text,
    count bigint not null,
    exported boolean not null default false
  )`,
  "create index audit_events_of_account on audit_events (account_id, at desc, id desc)",
  "create index audit_events_by_age on audit_events (at, id)",
  "create index audit_events_to_export on audit_events (at, id) where not exported",
  `create table audit_sink (
    id integer primary key check (id = 1),
    node text not null,
    until bigint not null
  )`
]
