/** Which nodes are alive, for when Redis does not hear one of them. A row a node. */
export const statements: ReadonlyArray<string> = [
  `create table nodes (
    node text primary key,
    seen_at bigint not null
  )`
]
