/**
 * The nodes of the hub, by their heartbeats. Owns their rows. Times are the database's, so that the nodes' clocks need
 * not agree.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreFailed } from "../../errors.ts"
import { nodeLeaseMillis } from "../../limits/nodes.ts"
import * as query from "../sql/query.ts"

/** Another node, as its row has it. */
export interface OtherNode {
  readonly node: string
  /** Its last heartbeat is younger than a lease. */
  readonly alive: boolean
  /** It said that its bus stands. */
  readonly onBus: boolean
}

/** The store of nodes. */
export class Nodes extends Context.Service<
  Nodes,
  {
    /**
     * States that a node is alive. True when its lease had ended, or its row was gone: others may have taken over what
     * it holds.
     */
    readonly beat: (node: string, onBus: boolean) => Effect.Effect<boolean, StoreFailed>
    /** Ends the lease of a node that stops: the others take over what it holds. One that holds nothing has no row. */
    readonly leave: (node: string) => Effect.Effect<void, StoreFailed>
    /** The other nodes. The row of a dead one stays until nothing is left of what it held. */
    readonly others: (node: string) => Effect.Effect<ReadonlyArray<OtherNode>, StoreFailed>
  }
>()("hub/Nodes") {
  static readonly layer = Layer.effect(Nodes)(Effect.suspend(() => make))
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = sql.literal(query.databaseNow)
  return Nodes.of({
    beat: (node, onBus) =>
      query.attempt(
        "beat as a node",
        Effect.map(
          sql<{ lapsed: boolean }>`with before as (select seen_at from nodes where node = ${node})
            insert into nodes (node, seen_at, on_bus) values (${node}, ${now}, ${onBus})
            on conflict (node) do update set seen_at = excluded.seen_at, on_bus = excluded.on_bus
            returning coalesce((select seen_at from before) < ${now} - ${nodeLeaseMillis}::bigint, true) as lapsed`,
          ([row]) => row!.lapsed
        )
      ),
    leave: (node) =>
      query.run(
        "leave as a node",
        sql`with held as (select from daemon_presence where node = ${node} limit 1),
            gone as (delete from nodes where node = ${node} and not exists (select from held))
          update nodes set seen_at = 0, on_bus = false where node = ${node} and exists (select from held)`
      ),
    others: (node) =>
      query.many(
        "look which nodes are alive",
        sql<OtherNode>`select node, seen_at >= ${now} - ${nodeLeaseMillis}::bigint as alive, on_bus as "onBus"
          from nodes where node <> ${node} order by node`
      )
  })
})
