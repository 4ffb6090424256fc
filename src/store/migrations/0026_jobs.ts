/**
 * Jobs, each one command for many daemons: what is sent (sealed, and gone once the job has ended), who leads it, and
 * one row per target, which names its command before that is sent. A target's daemon may be removed meanwhile.
 * `prepared`: all targets are there. `fence` of a target: the lead under which it was taken.
 */
export const statements: ReadonlyArray<string> = [
  `create table jobs (
    id text primary key,
    account_id text not null,
    type text not null,
    payload text,
    prepared boolean not null,
    state text not null check (state in ('running', 'completed', 'aborted', 'cancelled', 'expired')),
    stop text check (stop in ('aborted', 'cancelled', 'expired')),
    targets integer not null,
    timeout_ms bigint not null,
    per_minute integer,
    concurrency integer not null,
    abort_after integer,
    created_at bigint not null,
    expires_at bigint not null,
    finished_at bigint,
    constraint jobs_finished check ((state = 'running') = (finished_at is null))
  )`,
  "create index jobs_of_account on jobs (account_id, created_at, id)",
  "create index jobs_running on jobs (created_at) where state = 'running'",
  "create index jobs_ended on jobs (finished_at) where finished_at is not null",
  `create table job_leases (
    job_id text primary key references jobs (id) on delete cascade,
    node text not null,
    fence bigint not null,
    until bigint not null
  ) with (fillfactor = 50)`,
  `create table job_targets (
    job_id text not null references jobs (id) on delete cascade,
    daemon_id text not null,
    command_id text not null,
    state text not null check (state in
      ('waiting', 'running', 'succeeded', 'failed', 'cancelled', 'timed_out', 'lost', 'expired', 'skipped')),
    due_at bigint not null,
    taken_at bigint,
    fence bigint,
    finished_at bigint,
    error text,
    primary key (job_id, daemon_id)
  ) with (fillfactor = 80)`,
  "create unique index job_targets_of_command on job_targets (command_id)",
  "create index job_targets_by_state on job_targets (job_id, state, daemon_id)"
]
