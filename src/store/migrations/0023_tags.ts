/**
 * Tags of daemons: those that the daemon named itself, and those that its owner gave it, with a number that grows with
 * each change of them.
 */
export const statements: ReadonlyArray<string> = [
  "alter table daemons add column daemon_tags jsonb not null default '{}'",
  "alter table daemons add column owner_tags jsonb not null default '{}'",
  "alter table daemons add column owner_tags_version bigint not null default 0"
]
