/**
 * What accounts used of their month, and the blocks that nodes hold of what is left. Owns those rows and that calls
 * used and held together never exceed the limit; how large a block is and when it is given back is
 * actors/limits/quota-ledger.ts's.
 *
 * The month's row is locked before any block of it, everywhere: no two statements wait for each other in a circle.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreFailed } from "../../errors.ts"
import { commitAskedMax, prunedRowsMax } from "../../limits.ts"
import * as query from "../sql/query.ts"

/** A node's request for a block. */
export interface LeaseAsk {
  readonly nodeId: string
  readonly accountId: string
  readonly month: string
  /** Infinity: nothing is reserved, every call is granted. */
  readonly limit: number
  /** Calls in one block. */
  readonly blockMax: number
  /** A block is at most this fraction of what is free (20: a twentieth), and at least one call. */
  readonly blockShare: number
  /** The node's blocks of this month expire after this time, by the database's clock, unless it settles before. */
  readonly leaseMillis: number
}

/** The store's answer to a node. */
export interface LeaseAnswer {
  readonly granted: number
  /** Calls written so far, by all nodes. */
  readonly used: number
  /** Calls that other nodes hold. */
  readonly heldElsewhere: number
}

/** What a node used of its blocks, and what it gives back. Renews them. */
export interface Settlement {
  readonly nodeId: string
  readonly leaseMillis: number
  readonly rows: ReadonlyArray<{
    readonly accountId: string
    readonly month: string
    /** May be negative: refunds. */
    readonly used: number
    readonly givenBack: number
  }>
}

/** A month after a settlement: calls written by all nodes, and what this node holds; null: it has no block any more. */
export interface Settled {
  readonly accountId: string
  readonly month: string
  readonly used: number
  readonly held: number | null
}

/** The store of usage. */
export class Usage extends Context.Service<
  Usage,
  {
    readonly lease: (ask: LeaseAsk) => Effect.Effect<LeaseAnswer, StoreFailed>
    readonly settle: (settlement: Settlement) => Effect.Effect<ReadonlyArray<Settled>, StoreFailed>
    /** Calls written in a month, by all nodes. */
    readonly used: (accountId: string, month: string) => Effect.Effect<number, StoreFailed>
    /** Takes back blocks whose nodes did not renew them; gives their number. */
    readonly expire: Effect.Effect<number, StoreFailed>
  }
>()("hub/Usage") {
  static readonly layer = Layer.effect(Usage)(Effect.suspend(() => make))
}

// Time is the database's, so that no node takes a block from a living one whose clock is behind its own.

/** What a block is, of `free` calls: at most the bound and its share, at least one, never more than is free. */
const block = (free: string): string =>
  `greatest(0, least(${free}, $5::bigint, greatest(1, floor((${free}) / $6::float8)::bigint)))`

/**
 * Grants a block: account, month, node, limit, bound, share, millis. The month's row is locked by the upsert, which
 * sees the newest version of it, so two nodes never get the same calls.
 */
const leaseText = `
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
const settleText = `
  with given as (
    select * from unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[]) as g (account_id, month, used, back)
  ), locked as (
    select u.account_id, u.month from usage u join given g on g.account_id = u.account_id and g.month = u.month
    order by u.account_id, u.month for update of u
  ), blocks as (
    update usage_blocks b set size = b.size - g.used - g.back, until = ${query.databaseNow} + $2::bigint
    from given g join locked l on l.account_id = g.account_id and l.month = g.month
    where b.account_id = g.account_id and b.month = g.month and b.node = $1
    returning b.account_id, b.month, b.size
  ), written as (
    insert into usage as u (account_id, month, calls, held)
    select g.account_id, g.month, g.used, case when b.account_id is null then 0 else -(g.used + g.back) end
    from given g left join blocks b on b.account_id = g.account_id and b.month = g.month
    order by g.account_id, g.month
    on conflict (account_id, month) do update set
      calls = greatest(0, u.calls + excluded.calls), held = u.held + excluded.held
    returning u.account_id, u.month, u.calls
  )
  select w.account_id as "accountId", w.month, w.calls as used, b.size as held,
    pg_current_xact_id()::text as transaction
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
const expireText = expire(
  `select account_id, month, node, until from usage_blocks where account_id = $1 and month = $2 and until < ${query.databaseNow}`
)

/** Takes back blocks of any month that were not renewed: how many at most. */
const expireAllText = expire(
  `select account_id, month, node, until from usage_blocks where until < ${query.databaseNow} order by until limit $1`
)

const commitAsked = Schedule.spaced("1 second")

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const leaseOnce = (ask: LeaseAsk) =>
    Effect.map(
      sql.unsafe<LeaseAnswer>(leaseText, [
        ask.accountId,
        ask.month,
        ask.nodeId,
        ask.limit,
        ask.blockMax,
        ask.blockShare,
        ask.leaseMillis
      ]),
      (rows) => rows[0]!
    )

  const usedIn = (accountId: string, month: string) =>
    Effect.map(
      sql<{ calls: number }>`select calls from usage where account_id = ${accountId} and month = ${month}`,
      (rows) => rows[0]?.calls ?? 0
    )

  const lease = Effect.fnUntraced(function* (ask: LeaseAsk) {
    if (!Number.isFinite(ask.limit)) {
      const used = yield* usedIn(ask.accountId, ask.month)
      return { granted: ask.blockMax, used, heldElsewhere: 0 }
    }
    const answer = yield* leaseOnce(ask)
    if (answer.granted > 0 || answer.heldElsewhere === 0) return answer
    const freed = yield* sql.unsafe(expireText, [ask.accountId, ask.month])
    return freed.length > 0 ? yield* leaseOnce(ask) : answer
  })

  /** Whether it was committed; fails where that is not said, or not yet. */
  const wasCommitted = (transaction: string) =>
    Effect.flatMap(sql<{ status: string | null }>`select pg_xact_status(${transaction}::xid8) as status`, ([row]) =>
      row?.status === "in progress" ? Effect.fail(row.status) : Effect.succeed(row?.status === "committed")
    )

  /** Where the COMMIT is not answered it is asked for: written again, the calls would be counted twice. */
  const settle = Effect.fnUntraced(function* ({ nodeId, leaseMillis, rows }: Settlement) {
    let written: ReadonlyArray<Settled & { readonly transaction: string }> = []
    const statement = sql.unsafe<(typeof written)[number]>(settleText, [
      nodeId,
      leaseMillis,
      rows.map(({ accountId }) => accountId),
      rows.map(({ month }) => month),
      rows.map(({ used }) => used),
      rows.map(({ givenBack }) => givenBack)
    ])
    const noted = Effect.map(statement, (found) => {
      written = found
    })
    yield* Effect.catch(sql.withTransaction(noted), (failure) => {
      const [first] = written
      if (first === undefined) return Effect.fail(failure)
      const asked = Effect.retry(wasCommitted(first.transaction), { schedule: commitAsked, times: commitAskedMax })
      const is = Effect.catch(asked, () => Effect.succeed(false))
      return Effect.flatMap(is, (committed) => (committed ? Effect.void : Effect.fail(failure)))
    })
    return written.map(({ transaction: _, ...settled }) => settled)
  })

  return Usage.of({
    lease: (ask) => query.attempt("lease calls", lease(ask)),
    settle: (settlement) =>
      settlement.rows.length === 0 ? Effect.succeed([]) : query.attempt("write usage", settle(settlement)),
    used: (accountId, month) => query.attempt("read usage", usedIn(accountId, month)),
    expire: Effect.map(
      query.many("take back blocks", sql.unsafe<{ blocks: number }>(expireAllText, [prunedRowsMax])),
      (rows) => rows.reduce((sum, { blocks }) => sum + blocks, 0)
    )
  })
})
