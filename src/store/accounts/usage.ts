/**
 * What accounts used of their month, and the blocks that nodes hold of what is left. Owns those rows and that calls
 * used and held together never exceed the limit; how large a block is and when it is given back is
 * actors/limits/quota-ledger.ts's.
 *
 * The month's row is locked before any block of it, everywhere: no two statements wait for each other in a circle.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreFailed } from "../../errors.ts"
import { prunedRowsMax } from "../../limits.ts"
import * as query from "../sql/query.ts"
import { expireAllText, expireText, leaseText, settleText } from "./usage-statements.ts"

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

/** A month after a settlement: calls written by all nodes, and whether this node still holds a block. */
export interface Settled {
  readonly accountId: string
  readonly month: string
  readonly used: number
  readonly held: boolean
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

  return Usage.of({
    lease: (ask) => query.attempt("lease calls", lease(ask)),
    settle: ({ nodeId, leaseMillis, rows }) =>
      rows.length === 0
        ? Effect.succeed([])
        : query.many(
            "write usage",
            sql.unsafe<Settled>(settleText, [
              nodeId,
              leaseMillis,
              rows.map(({ accountId }) => accountId),
              rows.map(({ month }) => month),
              rows.map(({ used }) => used),
              rows.map(({ givenBack }) => givenBack)
            ])
          ),
    used: (accountId, month) => query.attempt("read usage", usedIn(accountId, month)),
    expire: Effect.map(
      query.many("take back blocks", sql.unsafe<{ blocks: number }>(expireAllText, [prunedRowsMax])),
      (rows) => rows.reduce((sum, { blocks }) => sum + blocks, 0)
    )
  })
})
