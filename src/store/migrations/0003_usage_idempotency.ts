/**
 * What accounts used of their month, the blocks that nodes hold of it, and outcomes kept under an idempotency key.
 * `held` is the sum of the month's blocks, kept in the row that is locked anyway; `granted` is what the last lease
 * gave, since an update cannot return what it replaced.
 */
export const statements: ReadonlyArray<string> = [
  `create table usage (
    account_id text not null,
    month text not null,
    calls bigint not null,
    held bigint not null default 0,
    granted bigint not null default 0,
    primary key (account_id, month)
  ) with (fillfactor = 50)`,
  `create table usage_blocks (
    account_id text not null,
    month text not null,
    node text not null,
    size bigint not null,
    until bigint not null,
    primary key (account_id, month, node)
  ) with (fillfactor = 50)`,
  `create index usage_blocks_by_end on usage_blocks (until)`,
  `create table idempotency (
    account_id text not null,
    route text not null,
    key text not null,
    body_hash bytea not null,
    state text not null check (state in ('running', 'done')),
    node text not null,
    started_at bigint not null,
    status integer,
    headers json,
    body text,
    finished_at bigint,
    primary key (account_id, route, key)
  )`,
  `create index idempotency_by_age on idempotency (started_at)`
]
