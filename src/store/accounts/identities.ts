/** Maps a provider's subject to a person. Owns those rows; never talks to a provider. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as query from "../sql/query.ts"

/** A person as a provider knows them. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** The person of an identity. */
    find: ({ issuer, subject }: Identity) =>
      query.one(
        "find an identity",
        sql<{ personId: string | null }>`select coalesce(i.person_id, a.person_id) as "personId"
            from identities i join accounts a on a.id = i.account_id
            where i.issuer = ${issuer} and i.subject = ${subject}`,
        ({ personId }) => personId ?? undefined
      ),
    // The update changes nothing: it makes the statement return the first row, also after a race.
    /**
     * Links an identity to a person unless it is linked; returns the person it is linked to now. `accountId`: an
     * account of theirs, where nodes of an earlier version sign them in.
     */
    link: (
      { issuer, subject }: Identity,
      { accountId, personId }: { readonly accountId: string; readonly personId: string },
      now: number
    ) =>
      query.one(
        "tie an identity to a person",
        sql<{ personId: string | null }>`with tied as (
            insert into identities (issuer, subject, account_id, person_id, created_at)
            values (${issuer}, ${subject}, ${accountId}, ${personId}, ${now})
            on conflict (issuer, subject) do update set account_id = identities.account_id
            returning account_id, person_id
          )
          select coalesce(t.person_id, a.person_id) as "personId" from tied t join accounts a on a.id = t.account_id`,
        (row) => row.personId ?? undefined
      )
  }
})

/** The store of identities. */
export class Identities extends Context.Service<Identities, Effect.Success<typeof make>>()("hub/Identities") {
  static readonly layer = Layer.effect(Identities, make)
}
