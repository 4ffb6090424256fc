/**
 * What receivers of `agent:status` know of each daemon: so that a change across a reconnect, a move to another node or
 * a restart of the hub is told, and the time between two of them is kept.
 */
export const statements: ReadonlyArray<string> = [
  `alter table daemons add column status_told_at bigint, add column status_told text`
]
