/**
 * The statements of usage.ts, each of them one atomic step. Owns their texts; runs nothing. Time is the database's, so
 * that no node takes a block from a living one whose clock is behind its own.
 */
import * as query from "../sql/query.ts"

/** What a block is, of `free` calls: at most the bound and its share, at least one, never more than is free. */
const block = (free: string): string =>
  `greatest(0, least(${free}, $5::bigint, greatest(1, floor((${free}) / $6::float8)::bigint)))`

/**
 * Grants a block: account, month, node, limit, bound, share, millis. The month's row is locked by the upsert, which
 * sees the newest version of it, so two nodes never get the same calls.
 */
export const leaseText = `
  with granted as (
    insert into usage as u (account_id, month, calls, held, granted)
    values ($1, $2, 0, ${block("$4::bigint")}, ${block("$4::bigint")})
    on conflict (account_id, month) do update set
      granted = ${block("$4::bigint - u.calls - u.held")},
      held = u.held + ${block("$4::bigint - u.calls - u.held")}
    returning calls, held, granted
  ), mine as (
    insert into usage_blocks as b (account_id, month, node, size, until)
    select $1, $2, $3, granted, ${query.databaseNow} + $7::bigint from granted where granted > 0
    on conflict (account_id, month, node) do update set size = b.size + excluded.size, until = excluded.until
    returning size
  )
  select granted, calls as used, held - coalesce(
      (select size from mine),
      (select size from usage_blocks where account_id = $1 and month = $2 and node = $3),
      0
    ) as "heldElsewhere"
  from granted`

/**
 * Writes what was served: node, millis of the lease, then a column each of accounts, months, calls used, calls given
 * back.
 */
export const settleText = `
  with given as (
    select * from unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[]) as g (account_id, month, used, back)
  ), locked as (
    select u.account_id, u.month from usage u join given g on g.account_id = u.account_id and g.month = u.month
    order by u.account_id, u.month for update of u
  ), blocks as (
    update usage_blocks b set size = b.size - g.used - g.back, until = ${query.databaseNow} + $2::bigint
    from given g join locked l on l.account_id = g.account_id and l.month = g.month
    where b.account_id = g.account_id and b.month = g.month and b.node = $1
    returning b.account_id, b.month
  ), written as (
    insert into usage as u (account_id, month, calls, held)
    select g.account_id, g.month, g.used, case when b.account_id is null then 0 else -(g.used + g.back) end
    from given g left join blocks b on b.account_id = g.account_id and b.month = g.month
    order by g.account_id, g.month
    on conflict (account_id, month) do update set
      calls = greatest(0, u.calls + excluded.calls), held = u.held + excluded.held
    returning u.account_id, u.month, u.calls
  )
  select w.account_id as "accountId", w.month, w.calls as used, b.account_id is not null as held
  from written w left join blocks b on b.account_id = w.account_id and b.month = w.month`

const expire = (dead: string): string => `
  with dead as (${dead}), locked as (
    select u.account_id, u.month from usage u
    where (u.account_id, u.month) in (select account_id, month from dead)
    order by u.account_id, u.month for update of u
  ), gone as (
    delete from usage_blocks b using dead d, locked l
    where b.account_id = d.account_id and b.month = d.month and b.node = d.node and b.until = d.until
      and l.account_id = d.account_id and l.month = d.month
    returning b.account_id, b.month, b.size
  )
  update usage u set held = u.held - g.size
  from (select account_id, month, sum(size)::bigint as size, count(*) as blocks from gone group by 1, 2) g
  where u.account_id = g.account_id and u.month = g.month
  returning g.blocks`

/** Takes back the blocks of one month that were not renewed: account, month. */
export const expireText = expire(
  `select account_id, month, node, until from usage_blocks where account_id = $1 and month = $2 and until < ${query.databaseNow}`
)

/** Takes back blocks of any month that were not renewed: how many at most. */
export const expireAllText = expire(
  `select account_id, month, node, until from usage_blocks where until < ${query.databaseNow} order by until limit $1`
)
