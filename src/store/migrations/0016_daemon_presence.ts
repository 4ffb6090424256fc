/**
 * The presence of each daemon in a narrow table of its own: the number of its newest connection, the node that holds
 * it, and since when it is online. A daemon that was recorded as online belongs to a node that is dead, so that the
 * first node that starts takes it over and gives it its grace. A node says in its heartbeat whether its bus stands.
 */
export const statements: ReadonlyArray<string> = [
  `create table daemon_presence (
    daemon_id text primary key references daemons (id) on delete cascade,
    account_id text not null,
    epoch bigint not null,
    node text,
    online_since bigint,
    constraint daemon_presence_held check ((node is null) = (online_since is null))
  ) with (fillfactor = 70)`,
  `insert into daemon_presence (daemon_id, account_id, epoch, node, online_since)
    select id, account_id, epoch, case when online then 'before_0016' end,
      case when online then coalesce(connected_at, last_seen_at, created_at) end
    from daemons where epoch > 0 or online`,
  "create index daemon_presence_of_node on daemon_presence (node, daemon_id) where node is not null",
  "create index daemon_presence_of_account on daemon_presence (account_id) where node is not null",
  "alter table daemons drop column online, drop column epoch",
  "delete from nodes",
  "alter table nodes add column on_bus boolean not null default false",
  `insert into nodes (node, seen_at)
    select 'before_0016', 0 where exists (select from daemon_presence where node is not null)`
]
