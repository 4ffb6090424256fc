/**
 * One-time codes between a provider's callback and the dashboard. Owns their rows, by hash (lower-case hex outside).
 * The first exchange on any node deletes a code.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { codesMax } from "../../limits.ts"
import { prune } from "../sql/pruning.ts"
import * as query from "../sql/query.ts"

/** What a code is good for. Times are epoch milliseconds; `authTime` is null where the provider did not say it. */
export interface LoginCode {
  readonly accountId: string
  /** Absent or null: the person whose address the account bears. */
  readonly personId?: string | null
  readonly authTime: number | null
  /** The challenge for the verifier that the exchange must show (S256); null when the sign-in began without one. */
  readonly challenge: string | null
}

const bytes = (hex: string): Buffer => Buffer.from(hex, "hex")

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** Adds a code; of a person with too many codes in an account the one that expires first is deleted. */
    add: (hash: string, code: LoginCode, expiresAt: number) =>
      query.attempt(
        "add a one-time code", // The lock serialises the codes of one account, so that the bound is exact.
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select 1 from accounts where id = ${code.accountId} for no key update`
            yield* sql`delete from login_codes where hash in (
              select hash from login_codes where account_id = ${code.accountId}
                and person_id is not distinct from ${code.personId ?? null}::text
              order by expires_at desc, hash offset ${codesMax - 1}
            )`
            yield* sql`insert into login_codes (hash, account_id, person_id, auth_time, challenge, expires_at)
              values (${bytes(hash)}, ${code.accountId}, ${code.personId ?? null}, ${code.authTime}, ${code.challenge}, ${expiresAt})`
          })
        )
      ),
    /** Takes a code; undefined when it was taken before, has expired, or never existed. */
    take: (hash: string, now: number) =>
      Effect.map(
        query.many(
          "take a one-time code",
          sql<LoginCode & { expiresAt: number }>`delete from login_codes where hash = ${bytes(hash)}
            returning account_id as "accountId", person_id as "personId", auth_time as "authTime", challenge, expires_at as "expiresAt"`
        ),
        ([row]) => {
          if (row === undefined || row.expiresAt <= now) return undefined
          const { expiresAt: _, ...code } = row
          return code
        }
      ),
    /** Removes codes that expired before; gives their number. */
    prune: (before: number) =>
      prune(sql, "remove old one-time codes", { table: "login_codes", key: "hash", by: "expires_at", before })
  }
})

/** The store of one-time codes. */
export class LoginCodes extends Context.Service<LoginCodes, Effect.Success<typeof make>>()("hub/LoginCodes") {
  static readonly layer = Layer.effect(LoginCodes, make)
}
