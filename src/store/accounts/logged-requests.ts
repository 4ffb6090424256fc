/**
 * The store of the request log. Owns the rows of `logged_requests`: written in batches, read as the newest of an
 * account, removed when they are neither new nor young enough.
 */
import { Array as Arr, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { LoggedRequest, StatusRange } from "../../domain/account/logged-request.ts"
import type { PagePosition } from "../../domain/page-cursor.ts"
import { loggedRequestsMax, loggedRowsMax, sweptAccountsMax } from "../../limits/request-log.ts"
import { prunedRowsMax } from "../../limits/store.ts"
import { prune } from "../sql/pruning.ts"
import * as query from "../sql/query.ts"

/** Which requests of an account. What is undefined matters not. */
export interface RequestsAsked {
  readonly accountId: string
  /** Answered at this time or later, epoch milliseconds. */
  readonly since: number
  /** Of this key or grant; "session": of dashboard sessions. */
  readonly credential: string | undefined
  readonly method: string | undefined
  readonly operation: string | undefined
  readonly pathContains: string | undefined
  readonly status: StatusRange | undefined
  readonly reason: string | undefined
  /** Of this person's. */
  readonly of: string | undefined
  /** After this one, in a list that begins with the newest. */
  readonly after: PagePosition | undefined
  readonly limit: number
}

/** A request with the name of its key, where that is kept still. */
export interface ShownRequest extends LoggedRequest {
  readonly keyName: string | undefined
  /** The address of the person, or the name of the service account, where they are still there. */
  readonly ownerName: string | undefined
}

/** Requests of an account. */
export interface RequestsFound {
  readonly requests: ReadonlyArray<ShownRequest>
  /** How many of the account are missing among its newest since that time, whatever else was asked for. */
  readonly omitted: number
}

const insertText = `insert into logged_requests
    (id, account_id, at, key_id, request_id, method, operation, route, path, status, reason, code, duration_micros,
      omitted, owner_id)
  select r.* from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
      $8::text[], $9::text[], $10::integer[], $11::text[], $12::text[], $13::bigint[], $14::bigint[],
      $15::text[])
    as r (id, account_id, at, key_id, request_id, method, operation, route, path, status, reason, code,
      duration_micros, omitted, owner_id)
  where exists (select from accounts a where a.id = r.account_id)`

const columnsOf = (rows: ReadonlyArray<LoggedRequest>): ReadonlyArray<ReadonlyArray<unknown>> => [
  rows.map(({ id }) => id),
  rows.map(({ accountId }) => accountId),
  rows.map(({ at }) => at),
  rows.map(({ keyId }) => keyId ?? null),
  rows.map(({ requestId }) => requestId),
  rows.map(({ method }) => method),
  rows.map(({ operation }) => operation),
  rows.map(({ route }) => route),
  rows.map(({ path }) => path),
  rows.map(({ status }) => status ?? null),
  rows.map(({ reason }) => reason ?? null),
  rows.map(({ code }) => code ?? null),
  rows.map(({ durationMicros }) => durationMicros),
  rows.map(({ omitted }) => omitted),
  rows.map(({ ownerId }) => ownerId ?? null)
]

/** Looks at the newest only, so that a filter which few requests pass costs no more than one that all pass. */
const listText = `with newest as (
    select * from logged_requests where account_id = $1 and at >= $2
    order by at desc, id desc limit ${loggedRequestsMax}
  ), found as (
    select n.*, coalesce(k.name, g.client_name) as key_name, coalesce(p.email, s.name) as owner_name from newest n
    left join api_keys k on k.id = n.key_id and k.account_id = $1
    left join oauth_grants g on g.id = n.key_id and g.account_id = $1
    left join memberships m on m.account_id = $1 and m.person_id = n.owner_id
    left join people p on p.id = m.person_id
    left join service_accounts s on s.id = n.owner_id and s.account_id = $1
    where ($3::text is null or coalesce(n.key_id, 'session') = $3) and ($4::text is null or n.method = $4)
      and ($5::text is null or n.operation = $5) and ($6::text is null or strpos(n.path, $6) > 0)
      and ($7::integer is null or n.status between $7 and $8) and ($9::boolean is not true or n.status is null)
      and ($10::text is null or n.reason = $10)
      and ($14::text is null or n.reason is distinct from $14)
      and ($15::text is null or n.owner_id = $15)
      and ($11::bigint is null or (n.at, n.id) < ($11::bigint, $12::text))
    order by n.at desc, n.id desc limit $13
  )
  select (select coalesce(sum(omitted), 0)::bigint from newest) as "omittedInAll", f.id, f.account_id as "accountId",
    f.at, f.key_id as "keyId", f.key_name as "keyName", f.request_id as "requestId", f.method, f.operation, f.route,
    f.path, f.status, f.reason, f.code, f.duration_micros as "durationMicros", f.omitted, f.owner_id as "ownerId",
    f.owner_name as "ownerName"
  from (values (1)) as always left join found f on true order by f.at desc, f.id desc`

const trimText = `delete from logged_requests where (account_id, at, id) in (
    select o.account_id, o.at, o.id from unnest($1::text[]) as g (id)
    cross join lateral (
      select account_id, at, id from logged_requests l where l.account_id = g.id
      order by l.at desc, l.id desc offset ${loggedRequestsMax} limit ${prunedRowsMax} for update skip locked
    ) as o
  ) returning 1`

/** Without an id there is no request in it. */
type Row = query.Nullable<ShownRequest> & { readonly omittedInAll: number }

const filterOf = ({
  accountId,
  since,
  credential,
  method,
  operation,
  pathContains,
  status,
  ...rest
}: RequestsAsked) => {
  const range = status === "none" ? undefined : status
  return [
    ...[accountId, since, credential ?? null, method ?? null, operation ?? null, pathContains ?? null],
    ...[range?.from ?? null, range?.to ?? null, status === "none", rest.reason ?? null],
    ...[rest.after?.at ?? null, rest.after?.id ?? null, rest.limit],
    ...[range?.but ?? null, rest.of ?? null]
  ]
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** Inserts them, as far as their accounts exist. */
    insert: (rows: ReadonlyArray<LoggedRequest>) =>
      Effect.forEach(
        Arr.chunksOf(rows, loggedRowsMax),
        (some) => query.many("store the request log", sql.unsafe(insertText, columnsOf(some))),
        { discard: true }
      ),
    /** A page of an account's newest, newest first. */
    list: (asked: RequestsAsked) =>
      Effect.map(query.many("read the request log", sql.unsafe<Row>(listText, filterOf(asked))), (rows) => ({
        requests: rows.flatMap(({ omittedInAll: _, ...row }) =>
          row.id === null ? [] : [query.withoutNulls<ShownRequest>(row)]
        ),
        omitted: rows[0]?.omittedInAll ?? 0
      })),
    /** Removes what is beyond the newest of these accounts; returns the number of rows, of at most so many each. */
    trim: (accountIds: ReadonlyArray<string>) =>
      Effect.map(
        Effect.forEach(Arr.chunksOf(accountIds, sweptAccountsMax), (some) =>
          query.many("shorten the request log", sql.unsafe(trimText, [some]))
        ),
        (removed) => removed.reduce((sum, { length }) => sum + length, 0)
      ),
    /** Removes what was answered before this time; returns the number of rows, of at most so many. */
    prune: (before: number) =>
      prune(sql, "remove old requests", { table: "logged_requests", key: "account_id, at, id", by: "at", before })
  }
})

export class LoggedRequests extends Context.Service<LoggedRequests, Effect.Success<typeof make>>()(
  "hub/LoggedRequests"
) {
  static readonly layer = Layer.effect(LoggedRequests, make)
}
