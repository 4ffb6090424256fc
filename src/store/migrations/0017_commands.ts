/**
 * Commands that outlive their call: one row each, from before its frame is sent until a day after its end. `epoch` is
 * the connection that it was sent on. `result` is JSON as the daemon wrote it, only ever read whole; `omitted` says why
 * one that came is not there.
 */
export const statements: ReadonlyArray<string> = [
  `create table commands (
    id text primary key,
    account_id text not null,
    daemon_id text not null references daemons (id) on delete cascade,
    type text not null,
    state text not null
      check (state in ('pending', 'succeeded', 'failed', 'cancelled', 'timed_out', 'lost')),
    durable boolean not null,
    cancellable boolean not null,
    epoch bigint not null,
    created_at bigint not null,
    deadline_at bigint not null,
    cancel_at bigint,
    finished_at bigint,
    result text,
    omitted text,
    error text,
    code text,
    constraint commands_finished check ((state = 'pending') = (finished_at is null))
  ) with (fillfactor = 80)`,
  "create index commands_of_account on commands (account_id, created_at, id)",
  "create index commands_of_daemon on commands (daemon_id)",
  "create index commands_pending on commands (daemon_id) where state = 'pending'",
  "create index commands_due on commands (deadline_at) where state = 'pending'",
  "create index commands_cancelled on commands (daemon_id) where state = 'pending' and cancel_at is not null",
  "create index commands_ended on commands (finished_at) where finished_at is not null"
]
