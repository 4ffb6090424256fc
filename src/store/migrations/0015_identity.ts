/**
 * By what e-mail addresses are compared (account/email-address.ts makes it; what is plain ASCII here is its own key,
 * the rest is filled at the start); the challenge a one-time code is bound to; how often a session was refreshed, so
 * that an older token is known.
 */
export const statements: ReadonlyArray<string> = [
  `alter table accounts add column email_key text constraint accounts_email_key unique`,
  `update accounts set email_key = email
    where length(email) <= 255
      and email ~ '^[a-z0-9!#$%&''*+/=?^_\`{|}~.-]{1,64}@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.])*[a-z]([a-z0-9-]{0,61}[a-z0-9])?$'
      and email !~ '[@.]xn--'`,
  "create index accounts_without_key on accounts (created_at, id) where email_key is null",
  "alter table login_codes add column challenge text",
  "create index login_codes_of_account on login_codes (account_id, expires_at)",
  "alter table sessions add column generation integer not null default 0, add column refreshed_at bigint"
]
