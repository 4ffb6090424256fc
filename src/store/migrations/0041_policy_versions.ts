/** The highest version of an account's removed policies: one made anew goes on from it. */
export const statements: ReadonlyArray<string> = [
  "alter table accounts add column removed_policy_version integer not null default 0"
]
