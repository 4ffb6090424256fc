/** What nodes know of each other and of their store. Owns these tables of the base schema. */
export const nodes: ReadonlyArray<string> = [
  // Which nodes are alive, and whether the bus of each stands.
  "create table nodes (node text primary key, seen_at bigint not null, on_bus boolean not null default false)",
  // Under which key the secrets of this database are sealed; and under which anew, while a rotation is under way.
  "create table secret_key (id integer primary key check (id = 1), key_id text not null, next_key_id text)",
  // The keys that each node holds, the one that it seals with first.
  "create table node_secret_keys (node text primary key, key_ids text[] not null, at bigint not null)",
  // A row that is written to see whether the store takes writes.
  "create table store_probe (id integer primary key check (id = 1), nth bigint not null, room bytea)",
  "alter table store_probe alter column room set storage external",
  "insert into store_probe (id, nth) values (1, 0)"
]
