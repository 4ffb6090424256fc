/**
 * The releases of the daemon that this hub has served, with their programs: any node gives one of them to a daemon that
 * is to go back to it.
 */
export const statements: ReadonlyArray<string> = [
  `create table daemon_releases (
    version text primary key,
    sha256 text not null,
    program bytea not null,
    served_at bigint not null
  )`
]
