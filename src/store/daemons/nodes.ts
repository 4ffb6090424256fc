/**
 * Which nodes are alive, by the database, for when Redis does not hear one of them. Owns their rows. Times are the
 * database's, so that the nodes' clocks need not agree.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreFailed } from "../../errors.ts"
import { nodeLeaseMillis, nodeRowMillis } from "../../limits/nodes.ts"
import { attempt } from "../sql/client.ts"

/** The store of nodes. */
export class Nodes extends Context.Service<
  Nodes,
  {
    /** States that a node is alive, for as long as a lease in Redis. */
    readonly beat: (node: string) => Effect.Effect<void, StoreFailed>
    /** Deletes a node that has ended. */
    readonly forget: (node: string) => Effect.Effect<void, StoreFailed>
    /** The nodes that stated so within that time. */
    readonly alive: Effect.Effect<ReadonlyArray<string>, StoreFailed>
  }
>()("hub/Nodes") {
  static readonly layer: Layer.Layer<Nodes, never, SqlClient.SqlClient> = Layer.effect(
    Nodes,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = sql.literal("(extract(epoch from clock_timestamp()) * 1000)::bigint")
  return Nodes.of({
    // A later heartbeat of another node deletes the row of a killed one.
    beat: (node) =>
      attempt(
        "beat as a node",
        Effect.asVoid(sql`with left_behind as (delete from nodes where seen_at < ${now} - ${nodeRowMillis}::bigint and node <> ${node})
          insert into nodes (node, seen_at) values (${node}, ${now})
          on conflict (node) do update set seen_at = excluded.seen_at`)
      ),
    forget: (node) => attempt("forget a node", Effect.asVoid(sql`delete from nodes where node = ${node}`)),
    alive: attempt(
      "look which nodes are alive",
      Effect.map(
        sql<{ node: string }>`select node from nodes where seen_at >= ${now} - ${nodeLeaseMillis}::bigint`,
        (rows) => rows.map(({ node }) => node)
      )
    )
  })
})
