/**
 * Provider packages. Owns these tables of the base schema. One row a type and version, so that a version number is
 * spent for ever by its primary key, in whatever channel it is seen. Artifacts stand apart under their digest: equal
 * bytes are kept once.
 */
export const packages: ReadonlyArray<string> = [
  "create table artifacts (digest bytea primary key, bytes bytea not null, created_at bigint not null)",
  // what is compressed already must not be compressed again on each read
  "alter table artifacts alter column bytes set storage external",
  // The reference is checked at commit, so that the number is taken first: who loses the race for it writes no bytes.
  `create table packages (
    type text not null,
    version text not null,
    precedence text not null collate "C",
    category text, name text, display_name text, description text, manifest json,
    digest bytea not null references artifacts (digest) deferrable initially deferred,
    size integer not null,
    published_at bigint not null, published_by text not null,
    preview_yanked_at bigint, promoted_at bigint, stable_yanked_at bigint,
    preview_downloads bigint not null default 0, stable_downloads bigint not null default 0,
    primary key (type, version)
  )`,
  `create index packages_preview on packages (type collate "C", precedence desc) where preview_yanked_at is null`,
  `create index packages_stable on packages (type collate "C", precedence desc)
    where promoted_at is not null and stable_yanked_at is null`
]
