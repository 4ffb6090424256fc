/**
 * Fleets. Tags of daemons: those that the daemon named itself, and those that its owner gave it, with a number that
 * grows with each change of them. Join keys, hashed, by which machines enrol themselves: a daemon bears by which key
 * and machine it came, so that a machine whose answer was lost is the same daemon, and after how long away it is
 * removed. The selector of an API key that is bound to some of the daemons.
 */
export const statements: ReadonlyArray<string> = [
  "alter table daemons add column daemon_tags jsonb not null default '{}'",
  "alter table daemons add column owner_tags jsonb not null default '{}'",
  "alter table daemons add column owner_tags_version bigint not null default 0",
  "alter table daemons add column join_key_id text, add column machine_id text",
  "alter table daemons add column remove_after_minutes integer",
  `create unique index daemons_of_machine on daemons (join_key_id, machine_id)
    where join_key_id is not null and machine_id is not null`,
  "create index daemons_ephemeral on daemons (id) where remove_after_minutes is not null",
  "alter table api_keys add column selector text",
  `create table join_keys (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    name text not null,
    prefix text not null,
    hash bytea not null constraint join_keys_hash unique,
    tags jsonb not null,
    max_uses integer,
    uses bigint not null default 0,
    remove_after_minutes integer,
    created_at bigint not null,
    expires_at bigint
  )`,
  "create index join_keys_of_account on join_keys (account_id, created_at, id)",
  "create index join_keys_by_end on join_keys (expires_at) where expires_at is not null"
]
