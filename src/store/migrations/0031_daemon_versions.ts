/**
 * The versions of daemons: an account's policies, by the names that its owner gave them, and the newest update of each
 * daemon that was told to update.
 */
export const statements: ReadonlyArray<string> = [
  `create table daemon_versions (
    account_id text not null references accounts (id) on delete cascade,
    id text not null,
    selector text not null,
    daemon_id text references daemons (id) on delete cascade,
    version text not null,
    window_json json,
    canary json,
    max_failures integer not null,
    paused boolean not null,
    primary key (account_id, id)
  )`,
  `create table daemon_updates (
    daemon_id text primary key references daemons (id) on delete cascade,
    account_id text not null,
    policy_id text not null,
    version text not null,
    sha256 text not null,
    state text not null,
    asked_at bigint not null,
    asked_epoch bigint not null,
    back_at bigint,
    back_epoch bigint,
    ended_at bigint,
    reason text
  )`,
  "create index daemon_versions_of_daemon on daemon_versions (daemon_id) where daemon_id is not null",
  "create index daemon_updates_of_account on daemon_updates (account_id)"
]
