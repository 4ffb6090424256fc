/**
 * The store of dashboard sessions and of the keys that sign their tokens. Owns their rows; knows no JWT and opens no
 * sealed key.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Member } from "../../domain/account/member.ts"
import type { Plan } from "../../domain/account/plans.ts"
import { isId } from "../../domain/ids.ts"
import { sessionsMax } from "../../limits.ts"
import { prune } from "../sql/pruning.ts"
import * as query from "../sql/query.ts"
import { type MemberColumns, withMember } from "./member-columns.ts"
import { attemptRecorded, recordChange } from "./recorded-change.ts"

/** A session. Times are epoch milliseconds; `authTime` is when the person signed in, null when unknown. */
export interface LoginSession {
  readonly id: string
  readonly accountId: string
  readonly authTime: number | null
  readonly createdAt: number
  readonly expiresAt: number
  readonly endedAt: number | null
  /** How often it was refreshed, and when last. */
  readonly generation: number
  readonly refreshedAt: number | null
}

/** A session to store. `personId` absent or null: of the person whose address the account bears. */
export type SessionDraft = Omit<LoginSession, "endedAt" | "generation" | "refreshedAt"> & {
  readonly personId?: string | null
}

/** What a session begins by, which may be over while it begins: the hash of a password, or a session of one login. */
export type SignedInBy = { readonly passwordHash: string } | { readonly sessionId: string }

/** A session with the fields of its account that decide whether it is valid. */
export interface SessionHolder extends LoginSession {
  /** Null: its person is no member of the account. */
  readonly member: Member | null
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

/** The generation of a row that never was a session of the hub. */
const buried = -1

/**
 * Locked: a new password, and the end of all sessions that follows it, come either before this or after the session
 * that begins by it.
 */
const isStillGood = (sql: SqlClient.SqlClient, by: SignedInBy, personId: string | null) =>
  Effect.map(
    "passwordHash" in by
      ? sql`select 1 as one from people where id = ${personId} and password_hash = ${by.passwordHash} for share`
      : sql`select 1 as one from sessions where id = ${by.sessionId} and ended_at is null for share`,
    ({ length }) => length > 0
  )

/** Sessions from their start to their last refresh. */
const liveSessions = (sql: SqlClient.SqlClient) => ({
  /**
   * Starts a session; returns the ids of the person's oldest live ones in the account that were deleted for it.
   * Undefined, and none is started: the person has another password by now, or that session has ended.
   */
  // The lock serialises the logins of one account, so that the bound is exact. Ended sessions are deleted before live
  // ones.
  start: ({ id, accountId, personId = null, authTime, createdAt, expiresAt }: SessionDraft, by?: SignedInBy) =>
    attemptRecorded(
      sql,
      "start a session",
      Effect.gen(function* () {
        const [account] = yield* sql<{ owner: string | null }>`
              select person_id as owner from accounts where id = ${accountId} for no key update`
        const owner = account?.owner ?? null
        if (by !== undefined && !(yield* isStillGood(sql, by, personId ?? owner))) return undefined
        const gone = yield* sql<{ id: string; living: boolean }>`delete from sessions where id in (
            select id from sessions where account_id = ${accountId} and generation >= 0
              and coalesce(person_id, ${owner}::text) is not distinct from coalesce(${personId}::text, ${owner}::text)
            order by (ended_at is null and expires_at > ${createdAt}::bigint) desc, created_at desc, id desc
            offset ${sessionsMax - 1}
          ) returning id, ended_at is null as living`
        yield* sql`insert into sessions (id, account_id, person_id, auth_time, created_at, expires_at)
            values (${id}, ${accountId}, ${personId}, ${authTime}, ${createdAt}, ${expiresAt})`
        return gone.filter(({ living }) => living).map((one) => one.id)
      }),
      (started) =>
        started && {
          action: "session.started",
          accountId,
          object: id,
          actor: { kind: "session", id, owner: personId ?? undefined }
        }
    ),
  /** A session as stored; the caller judges whether it has ended or expired. */
  byId: (id: string) =>
    isId("session", id)
      ? query.one(
          "read a session",
          sql<Omit<SessionHolder, "member"> & MemberColumns>`
              select s.id, s.account_id as "accountId", s.auth_time as "authTime", s.created_at as "createdAt",
                s.expires_at as "expiresAt", s.ended_at as "endedAt", a.plan, a.admin,
                s.generation, s.refreshed_at as "refreshedAt", a.disabled as "accountDisabled",
                m.person_id as "memberPerson", m.role as "memberRole", m.selector as "memberSelector"
              from sessions s join accounts a on a.id = s.account_id
              left join memberships m
                on m.account_id = s.account_id and m.person_id = coalesce(s.person_id, a.person_id)
              where s.id = ${id}`,
          withMember
        )
      : Effect.succeed(undefined),
  /** Counts a refresh of a live session at this generation; false when it has another, or has ended. */
  refreshed: (id: string, generation: number, now: number) =>
    query.any(
      "count a refresh of a session",
      sql`update sessions set generation = generation + 1, refreshed_at = ${now}
          where id = ${id} and generation = ${generation} and ended_at is null returning id`
    )
})

/** The ends of sessions. */
const endedSessions = (sql: SqlClient.SqlClient) => ({
  /** Records that a token of another issuer is ended: it has no session here, and none is counted for it. */
  recordEnded: ({ id, accountId, personId = null, authTime, createdAt, expiresAt }: SessionDraft, now: number) =>
    query.run(
      "keep the end of a token",
      recordChange(
        sql,
        sql`insert into sessions (id, account_id, person_id, auth_time, created_at, expires_at, ended_at, generation)
            values (${id}, ${accountId}, ${personId}, ${authTime}, ${createdAt}, ${expiresAt}, ${now}, ${buried})
            on conflict (id) do nothing`,
        () => ({ action: "session.ended", accountId, object: id })
      )
    ),
  /** Ends a session; false when it had ended or never existed. */
  end: (id: string, now: number) =>
    query.any(
      "end a session",
      recordChange(
        sql,
        sql<{ accountId: string }>`update sessions set ended_at = ${now} where id = ${id} and ended_at is null
            returning account_id as "accountId"`,
        ([row]) => row && { action: "session.ended", accountId: row.accountId, object: id }
      )
    ),
  /**
   * Ends all sessions of a person, in whatever account, except the one named; returns their ids. Their browsers,
   * which could answer without a sign-in, are told of questions no more. `accountId`: in whose audit log it is.
   */
  endAll: (
    { accountId, personId }: { readonly accountId: string; readonly personId: string },
    now: number,
    but = ""
  ) => {
    const theirs = sql`(person_id = ${personId} or (person_id is null
        and account_id = any(array(select id from accounts where person_id = ${personId}))))
      and id <> ${but} and ended_at is null`
    // locked first: who begins another session by one of these has begun it before the statement that ends them all
    const ending = Effect.andThen(
      sql`select 1 as one from sessions where ${theirs} order by id for update`,
      sql<{ id: string }>`with told as (delete from push_subscriptions
          where person_id = ${personId}
            and account_id in (select account_id from memberships where person_id = ${personId}))
        update sessions set ended_at = ${now} where ${theirs} returning id`
    )
    return query.many(
      "end all sessions of a person",
      recordChange(sql, ending, ({ length }) =>
        length === 0 ? undefined : { action: "session.others_ended", accountId, detail: String(length) }
      ),
      ({ id }) => id
    )
  },
  /** Removes sessions that expired before; gives their number. */
  prune: (before: number) =>
    prune(sql, "remove old sessions", { table: "sessions", key: "id", by: "expires_at", before })
})

/** The keys that sign the tokens of sessions. */
const signingKeys = (sql: SqlClient.SqlClient) => ({
  /** The newest signing keys, newest first. */
  signingKeys: (max: number) =>
    query.many(
      "read signing keys",
      sql<SigningKeyRow>`select kid, sealed, created_at as "createdAt" from signing_keys
        order by created_at desc, kid limit ${max}`
    ),
  addSigningKey: (key: SigningKeyRow) =>
    query.run(
      "add a signing key",
      sql`insert into signing_keys (kid, sealed, created_at)
        values (${key.kid}, ${key.sealed}, ${key.createdAt})`
    ),
  /** Removes signing keys made before; gives their number. */
  pruneSigningKeys: (before: number) =>
    query.affected("remove old signing keys", sql`delete from signing_keys where created_at < ${before} returning kid`)
})

const make = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...liveSessions(sql),
  ...endedSessions(sql),
  ...signingKeys(sql)
}))

/** The store of dashboard sessions. */
export class Sessions extends Context.Service<Sessions, Effect.Success<typeof make>>()("hub/Sessions") {
  static readonly layer = Layer.effect(Sessions, make)
}
