/**
 * Where the browsers of an account's people take push messages, and the key pair by which the hub shows push services
 * who sends. A subscription ends with the membership.
 */
export const statements: ReadonlyArray<string> = [
  `create table push_keys (
    id text primary key,
    public_key text not null,
    sealed text not null
  )`,
  `create table push_subscriptions (
    id text primary key,
    account_id text not null,
    person_id text not null,
    endpoint_hash text not null,
    origin text not null,
    sealed text not null,
    shows_subject boolean not null,
    created_at bigint not null,
    constraint push_subscriptions_endpoint unique (account_id, endpoint_hash),
    foreign key (account_id, person_id) references memberships (account_id, person_id) on delete cascade
  )`,
  "create index push_subscriptions_of_person on push_subscriptions (account_id, person_id, created_at, id)"
]
