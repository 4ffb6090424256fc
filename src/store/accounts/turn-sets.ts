/**
 * The TURN servers that accounts were given within the hour, so that every node gives the same, also after a restart.
 * Owns those rows, one per account; sees no credential in the clear and issues none.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreFailed } from "../../errors.ts"
import * as query from "../sql/query.ts"

/** A kept set. `until`: until when it is handed out, epoch milliseconds. */
export interface KeptSet {
  readonly sealed: string
  readonly until: number
}

/** The store. `source` says which settings a set was issued by: one of others does not count. */
export class TurnSets extends Context.Service<
  TurnSets,
  {
    readonly find: (accountId: string, source: string, now: number) => Effect.Effect<KeptSet | undefined, StoreFailed>
    /** Keeps a set unless another node kept one first, and gives the one that counts. */
    readonly keep: (accountId: string, source: string, set: KeptSet, now: number) => Effect.Effect<KeptSet, StoreFailed>
  }
>()("hub/TurnSets") {
  static readonly layer = Layer.effect(
    TurnSets,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const find = (accountId: string, source: string, now: number) =>
        query.one(
          "read TURN servers",
          sql<KeptSet>`select sealed, until from turn_sets
              where account_id = ${accountId} and source = ${source} and until > ${now}`
        )
      return TurnSets.of({
        find,
        keep: Effect.fnUntraced(function* (accountId, source, set, now) {
          const { sealed, until } = set
          const written = yield* query.many(
            "keep TURN servers",
            sql`insert into turn_sets as t (account_id, source, sealed, until)
              values (${accountId}, ${source}, ${sealed}, ${until})
              on conflict (account_id) do update set source = excluded.source, sealed = excluded.sealed, until = excluded.until
              where t.until <= ${now} or t.source <> excluded.source returning 1`
          )
          return written.length > 0 ? set : ((yield* find(accountId, source, now)) ?? set)
        })
      })
    })
  )
}
