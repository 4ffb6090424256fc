/**
 * Devices that wait until a person allows them an API key (RFC 8628). Their codes are hashed; `account_id` is whose
 * person allowed it, and with which scopes. A row goes when its key is made.
 */
export const statements: ReadonlyArray<string> = [
  `create table device_codes (
    hash bytea primary key,
    user_code_hash bytea not null,
    name text not null,
    scopes text[] not null,
    state text not null check (state in ('pending', 'approved', 'denied')),
    account_id text references accounts (id) on delete cascade,
    poll_seconds integer not null,
    polled_at bigint,
    created_at bigint not null,
    expires_at bigint not null,
    constraint device_codes_approved check ((state = 'approved') = (account_id is not null)),
    constraint device_codes_user_code unique (user_code_hash)
  )`,
  "create index device_codes_by_end on device_codes (expires_at)",
  "create index device_codes_of_account on device_codes (account_id) where account_id is not null"
]
