/** Maps a provider's subject to an account. Owns those rows; never talks to a provider. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreFailed } from "../../errors.ts"
import * as query from "../sql/query.ts"

/** A person as a provider knows them. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
}

/** The store of identities. */
export class Identities extends Context.Service<
  Identities,
  {
    /** The account of an identity. */
    readonly find: (identity: Identity) => Effect.Effect<string | undefined, StoreFailed>
    /** Links an identity to an account unless it is linked; returns the account it is linked to now. */
    readonly link: (identity: Identity, accountId: string, now: number) => Effect.Effect<string, StoreFailed>
  }
>()("hub/Identities") {
  static readonly layer = Layer.effect(Identities)(Effect.suspend(() => make))
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return Identities.of({
    find: ({ issuer, subject }) =>
      query.one(
        "find an identity",
        sql<{ accountId: string }>`select account_id as "accountId" from identities
            where issuer = ${issuer} and subject = ${subject}`,
        ({ accountId }) => accountId
      ),
    // The update changes nothing: it makes the statement return the first row, also after a race.
    link: ({ issuer, subject }, accountId, now) =>
      Effect.map(
        query.many(
          "tie an identity to an account",
          sql<{ accountId: string }>`insert into identities (issuer, subject, account_id, created_at)
            values (${issuer}, ${subject}, ${accountId}, ${now})
            on conflict (issuer, subject) do update set account_id = identities.account_id
            returning account_id as "accountId"`
        ),
        (rows) => rows[0]!.accountId
      )
  })
})
