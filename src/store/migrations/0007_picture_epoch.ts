/**
 * Which connection a stored picture is of. The number given last is no measure of it: a connection may be numbered and
 * lost before it is accepted, while the one before it goes on reporting.
 */
export const statements: ReadonlyArray<string> = [
  `alter table daemons add column picture_epoch bigint not null default 0`
]
