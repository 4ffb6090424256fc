/**
 * The store of what people granted to clients: codes that wait, grants, their tokens. Owns their rows, by hash
 * (lower-case hex outside), and that a code gives one grant and a refresh token one successor, however many calls come
 * at once. Judges no request: grant-changes.ts has the transactions, src/auth/oauth the rules.
 */
import { Array as Arr, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { isId } from "../../domain/ids.ts"
import { grantsPerAccountMax, usedCodeKeptMillis } from "../../limits/oauth.ts"
import { batchMax } from "../../limits.ts"
import { type MemberColumns, withMember } from "../accounts/member-columns.ts"
import { prune } from "../sql/pruning.ts"
import * as query from "../sql/query.ts"
import { makeQueryBatcher } from "../sql/query-batcher.ts"
import { addCode, endGrant, redeemCode, refreshGrant } from "./grant-changes.ts"
import { type Code, type Grant, grantColumns, type NewTokens, type TokenHolder } from "./grant-rows.ts"

const bytes = (hex: string): Buffer => Buffer.from(hex, "hex")

type HolderRow = Omit<TokenHolder, "member"> & MemberColumns & { readonly hash: Buffer }

const byTokenText = `select t.hash, g.id as "grantId", g.account_id as "accountId", g.scopes, g.selector,
    least(t.expires_at, g.expires_at) as "expiresAt", a.plan, a.disabled as "accountDisabled",
    m.person_id as "memberPerson", m.role as "memberRole", m.selector as "memberSelector"
  from oauth_tokens t join oauth_grants g on g.id = t.grant_id join accounts a on a.id = g.account_id
  join memberships m on m.account_id = g.account_id and m.person_id = g.person_id
  where t.hash = any($1::bytea[]) and not t.refreshes`

const touchText = `with used as (
    select id, max(at) as at from unnest($1::text[], $2::bigint[]) as u (id, at) group by id
  ), locked as (
    select g.id, used.at from oauth_grants g join used on used.id = g.id order by g.id for update of g
  )
  update oauth_grants g set last_used_at = greatest(g.last_used_at, locked.at) from locked where g.id = locked.id`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const byToken = yield* makeQueryBatcher<string, TokenHolder | undefined>({
    name: "look up access tokens",
    queue: "access tokens",
    run: (hashes) =>
      Effect.map(sql.unsafe<HolderRow>(byTokenText, [hashes.map(bytes)]), (rows) => {
        const found = new Map(rows.map(({ hash, ...row }) => [hash.toString("hex"), withMember(row) as TokenHolder]))
        return hashes.map((hash) => found.get(hash))
      })
  })
  const end = (...[condition, values, detail]: [string, ReadonlyArray<unknown>, string?]) =>
    query.attempt("end a grant", endGrant(sql, condition, values, detail))

  return {
    /** Keeps a code. "full": too many wait, of the account or in all. */
    addCode: (hash: string, code: Code) =>
      query.attempt("add an authorization code", sql.withTransaction(addCode(sql, hash, code))),
    /** Takes a code, if `fits` says so of it, and gives its grant with these tokens. */
    redeem: (
      hash: string,
      now: number,
      fits: (code: Code) => boolean,
      grantId: string,
      tokensOf: (code: Code) => NewTokens
    ) => query.attempt("redeem an authorization code", redeemCode(sql)(hash, now, fits, grantId, tokensOf)),
    /** Takes a refresh token of this client, and gives its successor. */
    refresh: (hash: string, now: number, clientId: string, tokens: NewTokens) =>
      query.attempt("refresh a grant", refreshGrant(sql)(hash, now, clientId, tokens)),
    /** The holder of the access token with this hash; concurrent calls share one statement. */
    byToken,
    /** Those of an account, or of one person of it, newest first. */
    listByAccount: (accountId: string, personId: string | undefined, now: number) =>
      query.many(
        "list grants",
        sql.unsafe<Grant>(
          `select ${grantColumns} from oauth_grants g where g.account_id = $1 and g.expires_at > $2
             and ($3::text is null or g.person_id = $3)
           order by g.created_at desc, g.id desc limit ${grantsPerAccountMax}`,
          [accountId, now, personId ?? null]
        )
      ),
    /** Ends a grant of this account, or of this person of it, with its tokens and jobs; undefined: there is none. */
    end: (accountId: string, personId: string | undefined, id: string) =>
      isId("grant", id)
        ? end("id = $1 and account_id = $2 and ($3::text is null or person_id = $3)", [id, accountId, personId ?? null])
        : Effect.succeed(undefined),
    /** Ends the grant of a token that is given back, by this client where one is named; undefined: there is none. */
    endByToken: (hash: string, clientId: string | undefined) =>
      end(
        "id = (select grant_id from oauth_tokens where hash = $1) and ($2::text is null or client_id = $2)",
        [bytes(hash), clientId ?? null],
        "by the app"
      ),
    /** Records uses, many in one statement. */
    touch: (uses: ReadonlyArray<{ readonly id: string; readonly at: number }>) =>
      Effect.forEach(
        Arr.chunksOf(uses, batchMax),
        (some) =>
          query.run(
            "record uses of grants",
            sql.unsafe(touchText, [some.map(({ id }) => id), some.map(({ at }) => at)])
          ),
        { discard: true }
      ),
    /** Removes codes and grants that are over, and tokens that no longer matter; returns the number of rows. */
    prune: (now: number) =>
      Effect.gen(function* () {
        const old = (table: string, key: string, before: number) =>
          prune(sql, "remove what OAuth no longer needs", { table, key, by: "expires_at", before })
        const codes = yield* old("oauth_codes", "hash", now - usedCodeKeptMillis)
        const grants = yield* old("oauth_grants", "id", now)
        return Math.max(codes, grants)
      })
  }
})

export class Grants extends Context.Service<Grants, Effect.Success<typeof make>>()("hub/Grants") {
  static readonly layer = Layer.effect(Grants, make)
}
