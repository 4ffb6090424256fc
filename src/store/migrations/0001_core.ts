/**
 * Accounts, API keys, daemons and their tokens. A token's hash is never removed: revoked, it stays as a tombstone. The
 * picture is `json`, not `jsonb`: it is only ever read whole, and `jsonb` refuses texts a daemon may well report.
 */
export const statements: ReadonlyArray<string> = [
  `create table accounts (
    id text primary key,
    email text not null constraint accounts_email unique check (email = lower(email)),
    password_hash text,
    plan text not null,
    admin boolean not null default false,
    disabled boolean not null default false,
    overrides json,
    created_at bigint not null
  )`,
  `create index accounts_newest on accounts (created_at, id)`,
  `create table api_keys (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    name text not null,
    prefix text not null,
    hash bytea not null constraint api_keys_hash unique,
    scopes text[] not null,
    created_at bigint not null,
    last_used_at bigint,
    expires_at bigint,
    revoked_at bigint
  ) with (fillfactor = 80)`,
  `create index api_keys_of_account on api_keys (account_id, created_at, id)`,
  `create table daemons (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    nickname text not null default '',
    hostname text not null default '',
    platform text not null default '',
    version text not null default '',
    picture json,
    online boolean not null default false,
    revoked boolean not null default false,
    epoch bigint not null default 0,
    connected_at bigint,
    last_seen_at bigint,
    created_at bigint not null
  ) with (fillfactor = 70)`,
  `create index daemons_of_account on daemons (account_id, id)`,
  `create index daemons_online on daemons (id) where online`,
  `create table daemon_tokens (
    hash bytea primary key,
    daemon_id text not null references daemons (id) on delete cascade,
    account_id text not null,
    name text not null,
    created_at bigint not null,
    revoked_at bigint
  )`,
  `create index daemon_tokens_of_daemon on daemon_tokens (daemon_id)`
]
