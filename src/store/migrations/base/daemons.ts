/**
 * Daemons and what is sent to them: tokens, presence, join keys, stored commands, jobs. Owns these tables of the base
 * schema and the triggers that count an account's daemons, so that an enrolment need not.
 */
const ofJobs: ReadonlyArray<string> = [
  // `payload`: what is sent, sealed, and gone once the job has ended. `prepared`: all targets are there.
  `create table jobs (
    id text primary key,
    account_id text not null,
    type text not null,
    payload text,
    prepared boolean not null,
    state text not null check (state in ('running', 'completed', 'aborted', 'cancelled', 'expired')),
    stop text check (stop in ('aborted', 'cancelled', 'expired')),
    targets integer not null,
    timeout_ms bigint not null, per_minute integer, concurrency integer not null, abort_after integer,
    created_at bigint not null, expires_at bigint not null, finished_at bigint,
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
  // A row names its command before that is sent. Its daemon may be removed meanwhile. `fence`: under which lead it was
  // taken.
  `create table job_targets (
    job_id text not null references jobs (id) on delete cascade,
    daemon_id text not null,
    command_id text not null,
    state text not null check (state in
      ('waiting', 'running', 'succeeded', 'failed', 'cancelled', 'timed_out', 'lost', 'expired', 'skipped')),
    due_at bigint not null, taken_at bigint,
    fence bigint,
    finished_at bigint, error text,
    primary key (job_id, daemon_id)
  ) with (fillfactor = 80)`,
  "create unique index job_targets_of_command on job_targets (command_id)",
  "create index job_targets_by_state on job_targets (job_id, state, daemon_id)"
]

/** These tables, in the order of their references. */
export const daemons: ReadonlyArray<string> = [
  // `picture` is the last snapshot and `picture_epoch` the connection it is of: json, not jsonb, as it is only read
  // whole and a daemon may report texts that jsonb refuses. `status_told`: what receivers of `agent:status` know. A
  // machine that came by a join key is found again by both their ids.
  `create table daemons (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    nickname text not null default '',
    hostname text not null default '', platform text not null default '', version text not null default '',
    picture json,
    revoked boolean not null default false,
    connected_at bigint, last_seen_at bigint, created_at bigint not null,
    picture_epoch bigint not null default 0,
    status_told_at bigint, status_told text,
    daemon_tags jsonb not null default '{}',
    owner_tags jsonb not null default '{}', owner_tags_version bigint not null default 0,
    join_key_id text, machine_id text, remove_after_minutes integer
  ) with (fillfactor = 70)`,
  "create index daemons_of_account on daemons (account_id, id)",
  "create index daemons_revoked_of_account on daemons (account_id, created_at, id) where revoked",
  `create unique index daemons_of_machine on daemons (join_key_id, machine_id)
    where join_key_id is not null and machine_id is not null`,
  "create index daemons_ephemeral on daemons (id) where remove_after_minutes is not null",
  `create function daemons_were_added() returns trigger language plpgsql as $$ begin
    update accounts a set daemons = a.daemons + n.count
      from (select account_id, count(*) as count from added where not revoked group by account_id) as n
      where a.id = n.account_id;
    return null;
  end $$`,
  `create function daemons_were_removed() returns trigger language plpgsql as $$ begin
    update accounts a set daemons = a.daemons - n.count
      from (select account_id, count(*) as count from removed where not revoked group by account_id) as n
      where a.id = n.account_id;
    return null;
  end $$`,
  `create function daemon_was_revoked_or_not() returns trigger language plpgsql as $$ begin
    update accounts set daemons = daemons + case when new.revoked then -1 else 1 end where id = new.account_id;
    return null;
  end $$`,
  `create trigger daemons_added after insert on daemons referencing new table as added
    for each statement execute function daemons_were_added()`,
  `create trigger daemons_removed after delete on daemons referencing old table as removed
    for each statement execute function daemons_were_removed()`,
  `create trigger daemons_revoked after update of revoked on daemons
    for each row when (old.revoked is distinct from new.revoked) execute function daemon_was_revoked_or_not()`,
  // A hash is never removed while its daemon is there: revoked, it stays as a tombstone.
  `create table daemon_tokens (
    hash bytea primary key,
    daemon_id text not null references daemons (id) on delete cascade,
    account_id text not null,
    name text not null,
    created_at bigint not null, revoked_at bigint
  )`,
  "create index daemon_tokens_of_daemon on daemon_tokens (daemon_id)",
  // `epoch`: the number of the newest connection; `node` holds it. `last_…`: how the last time online ended, so that
  // the next is never dated before it.
  `create table daemon_presence (
    daemon_id text primary key references daemons (id) on delete cascade,
    account_id text not null,
    epoch bigint not null,
    node text,
    online_since bigint,
    last_ended_at bigint, last_end_reason text, last_close_code integer,
    constraint daemon_presence_held check ((node is null) = (online_since is null))
  ) with (fillfactor = 70)`,
  "create index daemon_presence_of_node on daemon_presence (node, daemon_id) where node is not null",
  "create index daemon_presence_of_account on daemon_presence (account_id) where node is not null",
  // By which machines enrol themselves, hashed.
  `create table join_keys (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    name text not null,
    prefix text not null,
    hash bytea not null constraint join_keys_hash unique,
    tags jsonb not null,
    max_uses integer, uses bigint not null default 0,
    remove_after_minutes integer,
    created_at bigint not null, expires_at bigint
  )`,
  "create index join_keys_of_account on join_keys (account_id, created_at, id)",
  "create index join_keys_by_end on join_keys (expires_at) where expires_at is not null",
  // Commands that outlive their call: from before the frame is sent, on the connection `epoch`, until a day after the
  // end. `result` is JSON as the daemon wrote it; `omitted` says why one that came is not there.
  `create table commands (
    id text primary key,
    account_id text not null,
    daemon_id text not null references daemons (id) on delete cascade,
    type text not null,
    state text not null check (state in ('pending', 'succeeded', 'failed', 'cancelled', 'timed_out', 'lost')),
    durable boolean not null, cancellable boolean not null,
    epoch bigint not null,
    created_at bigint not null, deadline_at bigint not null, cancel_at bigint, finished_at bigint,
    result text, omitted text, error text, code text,
    constraint commands_finished check ((state = 'pending') = (finished_at is null))
  ) with (fillfactor = 80)`,
  "create index commands_of_account on commands (account_id, created_at, id)",
  "create index commands_of_daemon on commands (daemon_id)",
  "create index commands_pending on commands (daemon_id) where state = 'pending'",
  "create index commands_due on commands (deadline_at) where state = 'pending'",
  "create index commands_cancelled on commands (daemon_id) where state = 'pending' and cancel_at is not null",
  "create index commands_ended on commands (finished_at) where finished_at is not null",
  ...ofJobs
]
