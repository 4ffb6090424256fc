/**
 * Whether an account's address was ever vouched for: only then may somebody the address belongs to join the account.
 */
export const statements: ReadonlyArray<string> = [
  `alter table accounts add column vouched boolean not null default true`
]
