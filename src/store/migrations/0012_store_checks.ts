/**
 * Under which key the secrets of this database are sealed, so that a node with another one is refused at its start; and
 * a row that is written to see whether the store takes writes. A database with secrets knows its key already: the
 * dashboard tokens' keys are sealed under it, else most webhooks' secrets are.
 */
export const statements: ReadonlyArray<string> = [
  `create table secret_key (
    id integer primary key check (id = 1),
    key_id text not null
  )`,
  `insert into secret_key (id, key_id)
    select 1, key_id from (
      select split_part(sealed, '.', 2) as key_id, 0 as rank from signing_keys
      union all
      select split_part(secret, '.', 2), 1 from webhooks
    ) as sealed_texts
    where key_id <> ''
    group by key_id order by min(rank), count(*) desc, key_id limit 1`,
  `create table store_probe (
    id integer primary key check (id = 1),
    nth bigint not null,
    room bytea
  )`,
  "alter table store_probe alter column room set storage external",
  "insert into store_probe (id, nth) values (1, 0)"
]
