/**
 * Webhooks, their deliveries and leases, and the numbered events that were already taken. Owns these tables of the base
 * schema. A delivery's last attempt stands in its own row, so that one that succeeds at once (nearly all) is written
 * twice and no more; earlier attempts move to their own table. Health changes with every batch and stands apart.
 */
export const webhooks: ReadonlyArray<string> = [
  // `selector`: the daemons that it hears of, by their tags; null: all of its account.
  `create table webhooks (
    id text primary key,
    account_id text not null,
    url text not null,
    events text[] not null,
    active boolean not null,
    secret text not null, old_secret text, old_secret_until bigint,
    created_at bigint not null, updated_at bigint not null,
    selector text
  )`,
  "create index webhooks_of_account on webhooks (account_id, created_at, id)",
  // `dropped`: deliveries that it had to go without, since its account had too many.
  `create table webhook_health (
    webhook_id text primary key,
    failures integer not null, failing_since bigint,
    last_delivery_at bigint, last_status_code integer,
    dropped bigint not null default 0, last_dropped_at bigint
  ) with (fillfactor = 50)`,
  // What every node reads each second, to see which accounts' webhooks have changed.
  "create table webhook_version (id integer primary key, version bigint not null)",
  "insert into webhook_version (id, version) values (1, 0)",
  "create table webhook_changes (account_id text primary key, version bigint not null)",
  "create index webhook_changes_by_version on webhook_changes (version)",
  // `trace`: of its event, where that is kept, as attempts may be made on another node.
  `create table deliveries (
    id text primary key,
    webhook_id text not null,
    event text not null,
    body text not null,
    created_at bigint not null,
    state smallint not null,
    attempts integer not null, earlier_attempts integer not null, max_attempts integer not null,
    due_at bigint not null,
    at bigint not null,
    status_code integer, error text, response_body text, response_truncated boolean, duration_ms integer,
    trace text
  )`,
  "create index deliveries_due on deliveries (webhook_id, due_at) where state = 0",
  "create index deliveries_finished on deliveries (webhook_id, at desc, id desc) where state <> 0",
  `create table attempts (
    delivery_id text not null,
    attempt integer not null,
    webhook_id text not null,
    shown_attempt integer not null, max_attempts integer not null,
    event text not null,
    at bigint not null,
    status_code integer, error text, response_body text, response_truncated boolean, duration_ms integer,
    primary key (delivery_id, attempt)
  )`,
  "create index attempts_newest on attempts (webhook_id, at desc, delivery_id desc, attempt desc)",
  `create table events_seen (
    daemon_id text not null,
    event_id text not null,
    at bigint not null,
    primary key (daemon_id, event_id)
  )`,
  "create index events_seen_at on events_seen using brin (at)",
  `create table webhook_leases (
    webhook_id text primary key,
    node text not null,
    fence bigint not null,
    until bigint not null
  ) with (fillfactor = 50)`,
  "create index webhook_leases_of_node on webhook_leases (node)"
]
