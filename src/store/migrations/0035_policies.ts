/** Policies of what agents may do, by the names that their owner gave them. */
export const statements: ReadonlyArray<string> = [
  `create table policies (
    account_id text not null references accounts (id) on delete cascade,
    id text not null,
    version bigint not null,
    selector text not null,
    rules json not null,
    rule_count integer not null,
    default_effect text not null,
    timeout_seconds integer,
    on_timeout text not null,
    updated_at bigint not null,
    primary key (account_id, id)
  )`
]
