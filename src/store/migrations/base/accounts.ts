/**
 * Accounts and how one signs in: API keys, sessions, identities, one-time codes, devices. Owns these tables of the base
 * schema. Credentials are there as hashes only, keys that sign sealed.
 */
export const accounts: ReadonlyArray<string> = [
  // `vouched`: whether the address was ever vouched for; only then may somebody it belongs to join the account.
  // `daemons`: enrolled and not revoked, counted by triggers. `email_key`: by what addresses are compared.
  `create table accounts (
    id text primary key,
    email text not null constraint accounts_email unique check (email = lower(email)),
    password_hash text,
    plan text not null,
    admin boolean not null default false, disabled boolean not null default false,
    overrides json,
    created_at bigint not null,
    vouched boolean not null default true,
    daemons bigint not null default 0,
    email_key text constraint accounts_email_key unique
  )`,
  "create index accounts_newest on accounts (created_at, id)",
  "create index accounts_without_key on accounts (created_at, id) where email_key is null",
  // `selector`: the daemons that the key is bound to.
  `create table api_keys (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    name text not null,
    prefix text not null,
    hash bytea not null constraint api_keys_hash unique,
    scopes text[] not null,
    created_at bigint not null, last_used_at bigint, expires_at bigint, revoked_at bigint,
    selector text
  ) with (fillfactor = 80)`,
  "create index api_keys_of_account on api_keys (account_id, created_at, id)",
  // `auth_time`: null where a provider did not say it. `generation`: how often it was refreshed.
  `create table sessions (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    auth_time bigint, created_at bigint not null, expires_at bigint not null, ended_at bigint,
    generation integer not null default 0,
    refreshed_at bigint
  )`,
  "create index sessions_of_account on sessions (account_id)",
  "create index sessions_by_expiry on sessions (expires_at)",
  // Who a provider's subject is here.
  `create table identities (
    issuer text not null,
    subject text not null,
    account_id text not null references accounts (id) on delete cascade,
    created_at bigint not null,
    primary key (issuer, subject)
  )`,
  "create index identities_of_account on identities (account_id)",
  // `challenge`: what a one-time code is bound to.
  `create table login_codes (
    hash bytea primary key,
    account_id text not null references accounts (id) on delete cascade,
    auth_time bigint, expires_at bigint not null,
    challenge text
  )`,
  "create index login_codes_by_expiry on login_codes (expires_at)",
  "create index login_codes_of_account on login_codes (account_id, expires_at)",
  // The keys that sign the tokens of sessions.
  "create table signing_keys (kid text primary key, sealed text not null, created_at bigint not null)",
  "create index signing_keys_newest on signing_keys (created_at)",
  // Devices that wait until a person allows them an API key (RFC 8628): `account_id` is whose person allowed it. A row
  // goes when its key is made.
  `create table device_codes (
    hash bytea primary key,
    user_code_hash bytea not null,
    name text not null,
    scopes text[] not null,
    state text not null check (state in ('pending', 'approved', 'denied')),
    account_id text references accounts (id) on delete cascade,
    poll_seconds integer not null, polled_at bigint,
    created_at bigint not null, expires_at bigint not null,
    constraint device_codes_approved check ((state = 'approved') = (account_id is not null)),
    constraint device_codes_user_code unique (user_code_hash)
  )`,
  "create index device_codes_by_end on device_codes (expires_at)",
  "create index device_codes_of_account on device_codes (account_id) where account_id is not null",
  // The accounts and plans that an administrator has disabled TURN for.
  `create table turn_disabled (
    kind text not null check (kind in ('account', 'plan')),
    name text not null,
    since bigint not null,
    primary key (kind, name)
  )`
]
