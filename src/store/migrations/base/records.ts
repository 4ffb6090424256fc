/**
 * What is recorded of accounts' calls: the month's use, outcomes under an idempotency key, the request log and the
 * audit log. Owns these tables of the base schema. Their rows outlive the account, and go by age.
 */
export const records: ReadonlyArray<string> = [
  // `held` is the sum of the month's blocks, kept in the row that is locked anyway; `granted` is what the last lease
  // gave, since an update cannot return what it replaced.
  `create table usage (
    account_id text not null,
    month text not null,
    calls bigint not null, held bigint not null default 0, granted bigint not null default 0,
    primary key (account_id, month)
  ) with (fillfactor = 50)`,
  // The blocks that nodes hold of it.
  `create table usage_blocks (
    account_id text not null,
    month text not null,
    node text not null,
    size bigint not null,
    until bigint not null,
    primary key (account_id, month, node)
  ) with (fillfactor = 50)`,
  "create index usage_blocks_by_end on usage_blocks (until)",
  // `body_dropped`: kept without its answer, since the account had too many.
  `create table idempotency (
    account_id text not null,
    route text not null,
    key text not null,
    body_hash bytea not null,
    state text not null check (state in ('running', 'done')),
    node text not null,
    started_at bigint not null,
    status integer, headers json, body text,
    finished_at bigint,
    body_dropped boolean not null default false,
    primary key (account_id, route, key)
  )`,
  "create index idempotency_by_age on idempotency (started_at)",
  // `at`: when it was answered. `status`: null where its caller left before. `omitted`: how many of the account were
  // answered beside this one and not kept.
  `create table logged_requests (
    id text not null,
    account_id text not null,
    at bigint not null,
    key_id text,
    request_id text not null,
    method text not null, operation text not null, route text not null, path text not null,
    status integer, reason text, code text,
    duration_micros bigint not null,
    omitted bigint not null,
    primary key (account_id, at, id)
  )`,
  "create index logged_requests_by_age on logged_requests (at)",
  // `exported` is false until the row, as it is now, was handed to the audit sink.
  `create table audit_events (
    id text primary key,
    account_id text,
    at bigint not null,
    actor_kind text not null, actor_id text,
    action text not null, object text, detail text,
    outcome text not null, reason text,
    address text, node text, request_id text,
    count bigint not null,
    exported boolean not null default false
  )`,
  "create index audit_events_of_account on audit_events (account_id, at desc, id desc)",
  "create index audit_events_by_age on audit_events (at, id)",
  "create index audit_events_to_export on audit_events (at, id) where not exported",
  // Which node hands rows over, and until when.
  "create table audit_sink (id integer primary key check (id = 1), node text not null, until bigint not null)"
]
