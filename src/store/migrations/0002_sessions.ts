/**
 * Dashboard sessions, who a provider's subject is here, one-time login codes, and the keys that sign dashboard tokens.
 */
export const statements: ReadonlyArray<string> = [
  `create table sessions (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    auth_time bigint not null,
    created_at bigint not null,
    expires_at bigint not null,
    ended_at bigint
  )`,
  `create index sessions_of_account on sessions (account_id)`,
  `create index sessions_by_expiry on sessions (expires_at)`,
  `create table identities (
    issuer text not null,
    subject text not null,
    account_id text not null references accounts (id) on delete cascade,
    created_at bigint not null,
    primary key (issuer, subject)
  )`,
  `create index identities_of_account on identities (account_id)`,
  `create table login_codes (
    hash bytea primary key,
    account_id text not null references accounts (id) on delete cascade,
    auth_time bigint not null,
    expires_at bigint not null
  )`,
  `create index login_codes_by_expiry on login_codes (expires_at)`,
  `create table signing_keys (
    kid text primary key,
    sealed text not null,
    created_at bigint not null
  )`,
  `create index signing_keys_newest on signing_keys (created_at)`
]
