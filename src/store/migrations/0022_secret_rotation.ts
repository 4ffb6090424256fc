/**
 * The key that the secrets are being sealed under anew, while a rotation is under way: a node must hold it beside the
 * other. And the keys that each node holds, the one that it seals with first.
 */
export const statements: ReadonlyArray<string> = [
  "alter table secret_key add column next_key_id text",
  `create table node_secret_keys (
    node text primary key,
    key_ids text[] not null,
    at bigint not null
  )`
]
