/** When a person signed in may be unknown: a provider need not say it. The epoch stood for that until now. */
export const statements: ReadonlyArray<string> = ["sessions", "login_codes"].flatMap((table) => [
  `alter table ${table} alter column auth_time drop not null`,
  `update ${table} set auth_time = null where auth_time = 0`
])
