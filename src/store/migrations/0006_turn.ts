/** Administrative overrides of TURN: the accounts and plans that it is disabled for. */
export const statements: ReadonlyArray<string> = [
  `create table turn_disabled (
    kind text not null check (kind in ('account', 'plan')),
    name text not null,
    since bigint not null,
    primary key (kind, name)
  )`
]
