/**
 * The transactions by which a grant comes and goes on: a code is added, taken, a refresh token replaced. Owns the order
 * of their locks (account, then code or grant) and their bounds; grants.ts has the port.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { ConnectedAppLimitReached } from "../../errors.ts"
import {
  accessTokensPerGrantMax,
  codesMax,
  codesPerAccountMax,
  grantMillisMax,
  grantsPerAccountMax,
  replacedTokensKeptMax
} from "../../limits/oauth.ts"
import { recordChange } from "../accounts/recorded-change.ts"
import { cancelJobsOf } from "../jobs/credential-jobs.ts"
import { type Code, type EndedGrant, type Grant, grantColumns, type NewTokens, type Taken } from "./grant-rows.ts"

const bytes = (hex: string): Buffer => Buffer.from(hex, "hex")
const refused: Taken = { state: "refused" }

/** Locks the account's row, so that a concurrent call counts what this one adds. False: it is disabled. */
const lockAccount = (sql: SqlClient.SqlClient, accountId: string) =>
  Effect.map(
    sql`select 1 as one from accounts where id = ${accountId} and not disabled for no key update`,
    ({ length }) => length > 0
  )

const isFull = (sql: SqlClient.SqlClient, accountId: string, now: number) =>
  Effect.map(
    sql<{ held: number }>`select count(*)::integer as held from oauth_grants
      where account_id = ${accountId} and expires_at > ${now}`,
    ([row]) => row!.held >= grantsPerAccountMax
  )

/** Adds a code. Fails where the account has no room for what it would give. */
export const addCode = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, hash: string, code: Code) {
  const { accountId, scopes, createdAt, expiresAt } = code
  yield* lockAccount(sql, accountId)
  if (yield* isFull(sql, accountId, createdAt))
    return yield* new ConnectedAppLimitReached({ limit: grantsPerAccountMax })
  const change = sql`insert into oauth_codes (hash, account_id, person_id, client_id, client_name, redirect_uri, redirect_host,
      challenge, resource, scopes, selector, offline, created_at, expires_at)
    select ${bytes(hash)}::bytea, ${accountId}::text, ${code.personId}::text, ${code.clientId}::text, ${code.clientName}::text,
      ${code.redirectUri}::text, ${code.redirectHost}::text, ${code.challenge}::text, ${code.resource}::text,
      ${scopes}::text[], ${code.selector}::text, ${code.offline}::boolean, ${createdAt}::bigint, ${expiresAt}::bigint
    where (select count(*) from oauth_codes where account_id = ${accountId}) < ${codesPerAccountMax}::bigint
      and (select count(*) from (select 1 from oauth_codes limit ${codesMax}) as c) < ${codesMax}::bigint
    returning 1 as one`
  const rows = yield* recordChange(sql, change, ({ length }) =>
    length === 0 ? undefined : { action: "app.approved", accountId, detail: scopes.join(" ") }
  )
  return rows.length === 0 ? ("full" as const) : ("added" as const)
})

/** Ends the grants that this condition means, with the jobs that they started: within a transaction. */
export const endGrants = (sql: SqlClient.SqlClient, condition: string, values: ReadonlyArray<unknown>) =>
  Effect.flatMap(
    sql.unsafe<Pick<Grant, "id" | "accountId">>(
      `delete from oauth_grants where ${condition} returning id, account_id as "accountId"`,
      values
    ),
    (ended) =>
      Effect.map(
        cancelJobsOf(
          sql,
          ended.map(({ id }) => id)
        ),
        (jobsOf) =>
          ended.map(({ id, accountId }): EndedGrant => ({ grantId: id, accountId, cancelledJobs: jobsOf(id) }))
      )
  )

/** The same of one grant, as it is audited. */
export const endGrant = (
  sql: SqlClient.SqlClient,
  condition: string,
  values: ReadonlyArray<unknown>,
  detail?: string
) =>
  Effect.map(
    recordChange(
      sql,
      endGrants(sql, condition, values),
      ([one]) => one && { action: "app.disconnected", accountId: one.accountId, object: one.grantId, detail }
    ),
    ([one]) => one
  )

/** Ends a grant since a secret of it was used a second time: one of the two who used it is a thief. */
const endReused = (sql: SqlClient.SqlClient, accountId: string, grantId: string, detail: string) =>
  Effect.map(
    endGrant(sql, "id = $1", [grantId], detail),
    (ended = { grantId, accountId, cancelledJobs: [] }) => ({ state: "reused", ...ended }) satisfies Taken
  )

const addTokens = (sql: SqlClient.SqlClient, grantId: string, now: number, tokens: NewTokens) => {
  const { access, accessExpiresAt, refresh, grantExpiresAt } = tokens
  const rows = [{ hash: access, refreshes: false, expiresAt: accessExpiresAt }]
  if (refresh !== undefined) rows.push({ hash: refresh, refreshes: true, expiresAt: grantExpiresAt })
  return sql`insert into oauth_tokens (hash, grant_id, refreshes, created_at, expires_at)
    select t.hash, ${grantId}, t.refreshes, ${now}::bigint, t.expires_at
    from unnest(${rows.map(({ hash }) => bytes(hash))}::bytea[], ${rows.map((one) => one.refreshes)}::boolean[],
      ${rows.map((one) => one.expiresAt)}::bigint[]) as t (hash, refreshes, expires_at)`
}

/** Takes a code, in one transaction. */
export const redeemCode = (sql: SqlClient.SqlClient) => {
  const redeem = Effect.fnUntraced(function* (
    hash: string,
    now: number,
    fits: (code: Code) => boolean,
    grantId: string,
    tokensOf: (code: Code) => NewTokens
  ) {
    const [found] = yield* sql<Pick<Code, "accountId">>`
      select account_id as "accountId" from oauth_codes where hash = ${bytes(hash)}`
    if (found === undefined) return refused
    const enabled = yield* lockAccount(sql, found.accountId)
    const [row] = yield* sql<Code & { grantId: string | null }>`
      select account_id as "accountId", person_id as "personId", client_id as "clientId", client_name as "clientName",
        redirect_uri as "redirectUri", redirect_host as "redirectHost", challenge, resource, scopes, selector, offline,
        created_at as "createdAt", expires_at as "expiresAt", grant_id as "grantId"
      from oauth_codes where hash = ${bytes(hash)} for update`
    if (row === undefined) return refused
    if (row.grantId !== null) return yield* endReused(sql, row.accountId, row.grantId, "its code was used again")
    if (!enabled || row.expiresAt <= now || !fits(row)) return refused
    const { accountId } = row
    if (yield* isFull(sql, accountId, now)) return yield* new ConnectedAppLimitReached({ limit: grantsPerAccountMax })
    const tokens = tokensOf(row)
    const offline = tokens.refresh !== undefined
    const change = sql<Grant>`insert into oauth_grants as g (id, account_id, person_id, client_id, client_name, redirect_host,
        scopes, selector, offline, created_at, expires_at)
      values (${grantId}, ${accountId}, ${row.personId}, ${row.clientId}, ${row.clientName}, ${row.redirectHost}, ${row.scopes}::text[],
        ${row.selector}, ${offline}, ${now}, ${tokens.grantExpiresAt})
      returning ${sql.literal(grantColumns)}`
    const [grant] = yield* recordChange(sql, change, () => ({
      action: "app.connected",
      accountId,
      actor: { kind: "grant", id: grantId },
      object: grantId,
      detail: row.scopes.join(" ")
    }))
    yield* addTokens(sql, grantId, now, tokens)
    yield* sql`update oauth_codes set grant_id = ${grantId} where hash = ${bytes(hash)}`
    return { state: "granted", grant: grant! } satisfies Taken
  })
  return (...given: Parameters<typeof redeem>) => sql.withTransaction(redeem(...given))
}

/**
 * Makes room for two tokens: removes older access tokens than a grant may have, and replaced refresh tokens that need
 * no longer be known. What is then added stays, also where a clock was set back behind the others.
 */
const trimTokens = (sql: SqlClient.SqlClient, grantId: string) =>
  Effect.forEach(
    [
      [false, accessTokensPerGrantMax - 1],
      [true, replacedTokensKeptMax]
    ] as const,
    ([refreshes, kept]) =>
      sql`delete from oauth_tokens where hash in (
        select hash from oauth_tokens where grant_id = ${grantId} and refreshes = ${refreshes}
        order by created_at desc, hash offset ${kept}
      )`,
    { discard: true }
  )

/** Replaces a refresh token, in one transaction. */
export const refreshGrant = (sql: SqlClient.SqlClient) => {
  const refresh = Effect.fnUntraced(function* (hash: string, now: number, clientId: string, tokens: NewTokens) {
    const [row] = yield* sql<Grant & { replacedAt: number | null; disabled: boolean }>`
      select ${sql.literal(grantColumns)}, t.replaced_at as "replacedAt", a.disabled
      from oauth_tokens t join oauth_grants g on g.id = t.grant_id join accounts a on a.id = g.account_id
      where t.hash = ${bytes(hash)} and t.refreshes for update of g, t`
    if (row === undefined || row.clientId !== clientId) return refused
    if (row.replacedAt !== null) return yield* endReused(sql, row.accountId, row.id, "its refresh token was used again")
    if (row.disabled || row.expiresAt <= now) return refused
    yield* sql`update oauth_tokens set replaced_at = ${now} where hash = ${bytes(hash)}`
    yield* trimTokens(sql, row.id)
    yield* addTokens(sql, row.id, now, tokens)
    const expiresAt = Math.min(tokens.grantExpiresAt, row.createdAt + grantMillisMax)
    yield* sql`update oauth_grants set expires_at = ${expiresAt} where id = ${row.id}`
    const { replacedAt: _, disabled: __, ...grant } = row
    return { state: "granted", grant: { ...grant, expiresAt } } satisfies Taken
  })
  return (...given: Parameters<typeof refresh>) => sql.withTransaction(refresh(...given))
}
