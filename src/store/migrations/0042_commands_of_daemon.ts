/** The commands of one daemon in order of their time: a page of them looks at no others. */
export const statements: ReadonlyArray<string> = [
  "drop index commands_of_daemon",
  "create index commands_of_daemon on commands (daemon_id, created_at, id)"
]
