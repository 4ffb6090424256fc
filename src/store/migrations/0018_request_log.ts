/**
 * The requests of accounts, the newest of each for a day. `at` is when a request was answered; `status` is null where
 * its caller left before. `omitted`: how many of the account were answered beside this one and not kept.
 */
export const statements: ReadonlyArray<string> = [
  `create table logged_requests (
    id text not null,
    account_id text not null,
    at bigint not null,
    key_id text,
    request_id text not null,
    method text not null,
    operation text not null,
    route text not null,
    path text not null,
    status integer,
    reason text,
    code text,
    duration_micros bigint not null,
    omitted bigint not null,
    primary key (account_id, at, id)
  )`,
  "create index logged_requests_by_age on logged_requests (at)"
]
