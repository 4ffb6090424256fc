/** The tokens by which a push message answers its question, by their hashes. They end with their browser. */
export const statements: ReadonlyArray<string> = [
  `create table push_answers (
    hash text primary key,
    subscription_id text not null references push_subscriptions (id) on delete cascade,
    approval_id text not null,
    decision text not null,
    expires_at bigint not null
  )`,
  "create index push_answers_of_browser on push_answers (subscription_id, expires_at)",
  "create index push_answers_by_end on push_answers (expires_at)"
]
