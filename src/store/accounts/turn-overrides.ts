/** For whom an administrator disabled TURN. Owns those rows; issues nothing. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreFailed } from "../../errors.ts"
import * as query from "../sql/query.ts"
import { anyRecorded, recordChange } from "./recorded-change.ts"

/** What an override names: one account by id, or a whole plan. */
export interface TurnOverride {
  readonly kind: "account" | "plan"
  readonly name: string
}

const ofTurn = (action: "turn.disabled" | "turn.enabled", { kind, name }: TurnOverride) => ({
  action,
  object: name,
  detail: kind,
  ...(kind === "account" && { accountId: name })
})

/** The store of overrides. */
export class TurnOverrides extends Context.Service<
  TurnOverrides,
  {
    readonly disable: (of: TurnOverride, now: number) => Effect.Effect<void, StoreFailed>
    /** False when there was none. */
    readonly enable: (of: TurnOverride) => Effect.Effect<boolean, StoreFailed>
    readonly list: Effect.Effect<ReadonlyArray<TurnOverride & { readonly since: number }>, StoreFailed>
    /** Whether TURN is disabled for this account, by itself or by its plan. */
    readonly disabled: (accountId: string, plan: string) => Effect.Effect<boolean, StoreFailed>
  }
>()("hub/TurnOverrides") {
  static readonly layer = Layer.effect(
    TurnOverrides,
    Effect.map(SqlClient.SqlClient, (sql) =>
      TurnOverrides.of({
        disable: (of, now) =>
          query.run(
            "disable TURN",
            recordChange(
              sql,
              sql.unsafe("insert into turn_disabled (kind, name, since) values ($1, $2, $3) on conflict do nothing", [
                of.kind,
                of.name,
                now
              ]),
              () => ofTurn("turn.disabled", of)
            )
          ),
        enable: (of) =>
          anyRecorded(
            sql,
            "enable TURN",
            sql.unsafe("delete from turn_disabled where kind = $1 and name = $2 returning name", [of.kind, of.name]),
            ofTurn("turn.enabled", of)
          ),
        list: query.many(
          "list TURN overrides",
          sql.unsafe<TurnOverride & { readonly since: number }>(
            "select kind, name, since from turn_disabled order by kind, name"
          )
        ),
        disabled: (accountId, plan) =>
          query.any(
            "look for a TURN override",
            sql.unsafe(
              `select 1 from turn_disabled
                 where (kind = 'account' and name = $1) or (kind = 'plan' and name = $2) limit 1`,
              [accountId, plan]
            )
          )
      })
    )
  )
}
