/**
 * Dashboard sessions and the keys that sign their tokens, as they are stored. Owns their rows; knows no JWT and opens no
 * sealed key.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { isId } from "../domain/ids.ts"
import type { Plan } from "../domain/plans.ts"
import type { StoreFailed } from "../errors.ts"
import { prunedRowsMax } from "../limits.ts"
import { attempt } from "./sql.ts"

/** A session. Times are epoch milliseconds; `authTime` is when the person signed in, null where nobody said it. */
export interface LoginSession {
  readonly id: string
  readonly accountId: string
  readonly authTime: number | null
  readonly createdAt: number
  readonly expiresAt: number
  readonly endedAt: number | null
}

/** A session together with what its account says of it. */
export interface SessionHolder extends LoginSession {
  readonly plan: Plan
  readonly admin: boolean
  readonly accountDisabled: boolean
}

/** A signing key, sealed. */
export interface SigningKeyRow {
  readonly kid: string
  readonly sealed: string
  readonly createdAt: number
}

/** The store of dashboard sessions. */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** Nothing when there is one of this id already. */
    readonly start: (session: Omit<LoginSession, "endedAt">) => Effect.Effect<void, StoreFailed>
    /** A session that has not ended or expired by then is for its asker to judge: it is given as it is. */
    readonly byId: (id: string) => Effect.Effect<SessionHolder | undefined, StoreFailed>
    /** Lets a session that has not ended last longer; false when there is none. */
    readonly extend: (id: string, expiresAt: number) => Effect.Effect<boolean, StoreFailed>
    /** Ends a session; false when it had ended or never was. */
    readonly end: (id: string, now: number) => Effect.Effect<boolean, StoreFailed>
    /** Ends all sessions of an account; gives their ids. */
    readonly endAll: (accountId: string, now: number) => Effect.Effect<ReadonlyArray<string>, StoreFailed>
    /** Removes sessions that expired before; gives their number. */
    readonly prune: (before: number) => Effect.Effect<number, StoreFailed>
    /** The newest signing keys, newest first. */
    readonly signingKeys: (max: number) => Effect.Effect<ReadonlyArray<SigningKeyRow>, StoreFailed>
    readonly addSigningKey: (key: SigningKeyRow) => Effect.Effect<void, StoreFailed>
    /** Removes signing keys made before; gives their number. */
    readonly pruneSigningKeys: (before: number) => Effect.Effect<number, StoreFailed>
  }
>()("hub/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.suspend(() => make)
  )
}

const counted = <E>(rows: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<number, E> =>
  Effect.map(rows, (all) => all.length)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return Sessions.of({
    start: (session) =>
      attempt(
        "start a session",
        Effect.asVoid(sql`insert into sessions (id, account_id, auth_time, created_at, expires_at) values (
          ${session.id}, ${session.accountId}, ${session.authTime}, ${session.createdAt}, ${session.expiresAt}
        ) on conflict (id) do nothing`)
      ),
    byId: (id) =>
      isId("session", id)
        ? Effect.map(
            attempt(
              "read a session",
              sql<SessionHolder>`
                select s.id, s.account_id as "accountId", s.auth_time as "authTime", s.created_at as "createdAt",
                  s.expires_at as "expiresAt", s.ended_at as "endedAt", a.plan, a.admin,
                  a.disabled as "accountDisabled"
                from sessions s join accounts a on a.id = s.account_id where s.id = ${id}`
            ),
            (rows) => rows[0]
          )
        : Effect.succeed(undefined),
    extend: (id, expiresAt) =>
      Effect.map(
        attempt(
          "extend a session",
          sql`update sessions set expires_at = greatest(expires_at, ${expiresAt})
            where id = ${id} and ended_at is null returning id`
        ),
        (rows) => rows.length > 0
      ),
    end: (id, now) =>
      Effect.map(
        attempt(
          "end a session",
          sql`update sessions set ended_at = ${now} where id = ${id} and ended_at is null returning id`
        ),
        (rows) => rows.length > 0
      ),
    endAll: (accountId, now) =>
      Effect.map(
        attempt(
          "end all sessions of an account",
          sql<{ id: string }>`update sessions set ended_at = ${now}
            where account_id = ${accountId} and ended_at is null returning id`
        ),
        (rows) => rows.map(({ id }) => id)
      ),
    prune: (before) =>
      attempt(
        "remove old sessions",
        counted(sql`delete from sessions where id in (
          select id from sessions where expires_at < ${before} order by expires_at limit ${prunedRowsMax}
        ) returning id`)
      ),
    signingKeys: (max) =>
      attempt(
        "read signing keys",
        sql<SigningKeyRow>`select kid, sealed, created_at as "createdAt" from signing_keys
          order by created_at desc, kid limit ${max}`
      ),
    addSigningKey: (key) =>
      attempt(
        "add a signing key",
        Effect.asVoid(sql`insert into signing_keys (kid, sealed, created_at)
          values (${key.kid}, ${key.sealed}, ${key.createdAt})`)
      ),
    pruneSigningKeys: (before) =>
      attempt(
        "remove old signing keys",
        counted(sql`delete from signing_keys where created_at < ${before} returning kid`)
      )
  })
})
