/**
 * OAuth for agents: clients that are registered here, codes that wait for their client, what a person granted to a
 * client, and its tokens, which end with the membership. Secrets are hashes; a used code and a replaced refresh token
 * are kept to know their second use.
 */
export const statements: ReadonlyArray<string> = [
  `create table oauth_clients (
    id text primary key,
    name text not null,
    redirect_uris text[] not null,
    refreshes boolean not null,
    secret_hash bytea,
    registered_from text,
    created_at bigint not null,
    used_at bigint not null
  )`,
  `create table oauth_codes (
    hash bytea primary key,
    account_id text not null,
    person_id text not null,
    client_id text not null,
    client_name text not null,
    redirect_uri text not null,
    redirect_host text not null,
    challenge text not null,
    resource text not null,
    scopes text[] not null,
    selector text,
    offline boolean not null,
    created_at bigint not null,
    expires_at bigint not null,
    grant_id text,
    foreign key (account_id, person_id) references memberships (account_id, person_id) on delete cascade
  )`,
  `create table oauth_grants (
    id text primary key,
    account_id text not null,
    person_id text not null,
    client_id text not null,
    client_name text not null,
    redirect_host text not null,
    scopes text[] not null,
    selector text,
    offline boolean not null,
    created_at bigint not null,
    last_used_at bigint,
    expires_at bigint not null,
    foreign key (account_id, person_id) references memberships (account_id, person_id) on delete cascade
  )`,
  `create table oauth_tokens (
    hash bytea primary key,
    grant_id text not null references oauth_grants (id) on delete cascade,
    refreshes boolean not null,
    created_at bigint not null,
    expires_at bigint not null,
    replaced_at bigint
  )`,
  "create index oauth_clients_of_strangers on oauth_clients (used_at) where registered_from is not null",
  "create index oauth_codes_of_member on oauth_codes (account_id, person_id)",
  "create index oauth_codes_by_end on oauth_codes (expires_at)",
  "create index oauth_grants_of_member on oauth_grants (account_id, person_id)",
  "create index oauth_grants_of_client on oauth_grants (client_id)",
  "create index oauth_grants_by_end on oauth_grants (expires_at)",
  "create index oauth_tokens_of_grant on oauth_tokens (grant_id, refreshes, created_at)"
]
