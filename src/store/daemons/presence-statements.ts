/** The statements on `daemon_presence`. Owns their text and the order of their parameters; runs nothing. */
import { insertedText } from "../webhooks/inserted-deliveries.ts"
import { ownerTagsColumn, snapshotColumns, tagColumns } from "./snapshots.ts"

/** The other columns of a claim's answer, in rows that tell of an early claim or of a delivery. */
const nulls = Array.from({ length: 19 }, () => "null").join(", ")

/**
 * Claims: daemon ids, epochs, times, whether a time online may begin, hashes of tokens, the node, the attempts of a
 * delivery, deliveries. A time online that would begin before the last one ended does not: the answer has that end. One
 * in its grace has no connection: it is stated again only where the row still names this node, as another may hold the
 * connection itself. The node's own row is locked first: while a claim runs the node cannot be cleared away as a dead
 * one.
 */
export const claimText = `with me as (
    select node from nodes where node = $6 for key share
  ), asked as (
    select a.* from unnest($1::text[], $2::bigint[], $3::bigint[], $4::boolean[], $5::text[])
      as a (id, epoch, at, begins, hash)
    where exists (select from me) and (a.hash is null or exists (
      select from daemon_tokens t where t.hash = decode(a.hash, 'hex') and t.revoked_at is null))
  ), before as (
    select p.daemon_id as id, p.node, p.online_since as since
    from daemon_presence p join asked a on a.id = p.daemon_id
    where (a.epoch is null or p.epoch = a.epoch and (a.begins or p.node = $6))
      and (p.online_since is not null or coalesce(p.last_ended_at, a.at) <= a.at)
    order by p.daemon_id for update of p
  ), updated as (
    update daemon_presence p set epoch = coalesce(a.epoch, p.epoch + 1), node = $6,
      online_since = coalesce(p.online_since, a.at)
    from before b join asked a on a.id = b.id where p.daemon_id = b.id
    returning p.daemon_id as id, p.epoch, p.online_since as since, b.node as before, b.since is null as began
  ), added as (
    insert into daemon_presence (daemon_id, account_id, epoch, node, online_since)
    select d.id, d.account_id, 1, $6, a.at from asked a join daemons d on d.id = a.id
    where a.epoch is null and not exists (select from daemon_presence p where p.daemon_id = a.id)
    order by d.id on conflict (daemon_id) do nothing
    returning daemon_id as id, epoch, online_since as since, null::text as before, true as began
  ), claimed as (
    select *, before is not null and before <> $6 as elsewhere from updated
    union all select *, false from added
  ), early as (
    select p.daemon_id as id, p.last_ended_at as at from daemon_presence p join asked a on a.id = p.daemon_id
    where (a.epoch is null or p.epoch = a.epoch and a.begins) and p.online_since is null and p.last_ended_at > a.at
  ), ${insertedText(7, "select id from claimed where began")}
  select null as "deliveryId", null::bigint as "lastEndedAt", c.id as "daemonId", c.epoch, c.since, c.before, c.began, c.elsewhere as "isElsewhere",
    d.status_told_at as "toldAt", d.status_told as states,
    d.account_id as "accountId", d.hostname, d.nickname, d.platform, d.version, true as online, d.revoked,
    c.since as "connectedAt", d.last_seen_at as "lastSeenAt", case when c.elsewhere then d.picture end as snapshot,
    ${tagColumns}
  from claimed c join daemons d on d.id = c.id
  union all
  select null, at, id, ${nulls} from early
  union all
  select id, null, null, ${nulls} from inserted`

/** Releases: daemon ids, epochs, times, reasons, close codes, the node, the attempts of a delivery, deliveries. */
export const endedText = `with asked as (
    select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::integer[])
      as a (id, epoch, at, reason, code)
  ), mine as (
    select a.* from daemon_presence p join asked a on a.id = p.daemon_id and a.epoch = p.epoch
    where p.node = $6 order by p.daemon_id for update of p
  ), ended as (
    update daemon_presence p set node = null, online_since = null, last_ended_at = greatest(p.last_ended_at, m.at),
      last_end_reason = m.reason, last_close_code = m.code
    from mine m where p.daemon_id = m.id
    returning p.daemon_id as id
  ), ${insertedText(7, "select id from ended")}
  select id as "daemonId", null as "deliveryId" from ended
  union all select null, id from inserted`

/** Takes over: the dead node, the taker, how many. */
export const takeOverText = `with step as (
    select daemon_id as id from daemon_presence where node = $1 order by daemon_id limit $3 for update skip locked
  ), p as (
    update daemon_presence p set node = $2 from step where p.daemon_id = step.id
    returning p.daemon_id, p.epoch, p.online_since
  )
  select ${snapshotColumns} from p join daemons d on d.id = p.daemon_id order by d.id`

/** What a node holds: the node, after which id, how many. */
export const heldByText = `select daemon_id as "daemonId", epoch from daemon_presence
  where node = $1 and daemon_id > $2 order by daemon_id limit $3`

/** Snapshots of what a node holds: the node, ids. */
export const heldSnapshotsText = `select ${snapshotColumns} from daemon_presence p join daemons d on d.id = p.daemon_id
  where p.node = $1 and p.daemon_id = any($2::text[])`

/** Where daemons are: their ids. */
export const placesText = `select d.id as "daemonId", d.account_id as "accountId", p.node
  from daemons d left join daemon_presence p on p.daemon_id = d.id where d.id = any($1::text[])`

/** Which daemons of accounts are online: the accounts' ids. */
export const onlineOfText = `select daemon_id as "daemonId", account_id as "accountId", node
  from daemon_presence where account_id = any($1::text[]) and node is not null`

/** How daemons stand: their ids. */
export const standingsText = `select d.id as "daemonId", coalesce(p.epoch, 0) as epoch, p.node, d.revoked,
    coalesce(a.disabled, false) as "accountDisabled", ${ownerTagsColumn}
  from daemons d left join daemon_presence p on p.daemon_id = d.id left join accounts a on a.id = d.account_id
  where d.id = any($1::text[])`
