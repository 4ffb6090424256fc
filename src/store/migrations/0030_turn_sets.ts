/**
 * The TURN servers that an account was given last, sealed, with their source (a fingerprint of its settings). They are
 * handed out until `until`, on every node.
 */
export const statements: ReadonlyArray<string> = [
  `create table turn_sets (
    account_id text primary key references accounts on delete cascade,
    source text not null,
    sealed text not null,
    until bigint not null
  )`
]
