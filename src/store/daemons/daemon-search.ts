/**
 * Finds daemons of all accounts, for the hub's administrators. Owns the reads over `daemons`, `daemon_presence` and
 * `accounts`, so that any node answers for all; reads nothing that an agent said and writes nothing.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { copiedIdentity } from "../../domain/daemon/copied-identity.ts"
import type { Problem } from "../../domain/daemon/snapshot.ts"
import { isId } from "../../domain/ids.ts"
import type { StoreFailed } from "../../errors.ts"
import { searchedDaemonsMax } from "../../limits/admin.ts"
import * as query from "../sql/query.ts"

/** Which daemons. What is undefined matters not. */
export interface DaemonFilter {
  readonly accountId: string | undefined
  /** As the daemon reported it, whole. */
  readonly version: string | undefined
  readonly online: boolean | undefined
  /** Last seen then or later; one that is online is seen now. Epoch milliseconds. */
  readonly seenSince: number | undefined
  /** Last seen before; one that was never seen is not. */
  readonly seenBefore: number | undefined
  /** Why its last time online ended. */
  readonly endReason: string | undefined
  readonly closeCode: number | undefined
  /** Whether another machine has connected with its token. */
  readonly identityCopied: boolean | undefined
}

/** A daemon of any account. Times are epoch milliseconds. */
export interface FoundDaemon {
  readonly daemonId: string
  readonly accountId: string
  readonly email: string
  readonly accountDisabled: boolean
  readonly hostname: string
  readonly nickname: string
  readonly platform: string
  readonly version: string
  readonly online: boolean
  /** The node that holds it. */
  readonly node: string | null
  readonly revoked: boolean
  readonly connectedAt: number | null
  /** Of one that is online: as of its last change. */
  readonly lastSeenAt: number | null
  /** When its last time online ended, why, and the close code of its last connection. */
  readonly lastEndedAt: number | null
  readonly lastEndReason: string | null
  readonly lastCloseCode: number | null
  /** Another machine than before has connected with its token, and was the last one. */
  readonly identityCopied: boolean
}

/** All that the hub keeps of a daemon, but for what its agents said. */
export interface DescribedDaemon extends FoundDaemon {
  readonly createdAt: number
  /** The number of its newest connection; 0: it never connected. */
  readonly epoch: number
  /** Good tokens of it. */
  readonly tokens: number
  readonly observedAt: number | null
  readonly sessions: number
  readonly problems: ReadonlyArray<Problem>
}

/** A page. `next`: the id after which the rest begins; a page with fewer rows than were asked for may have one too. */
export interface DaemonsFound {
  readonly daemons: ReadonlyArray<FoundDaemon>
  readonly next: string | undefined
}

export class DaemonSearch extends Context.Service<
  DaemonSearch,
  {
    /** So many daemons that pass the filter, by id, after one ("" at the start). */
    readonly find: (filter: DaemonFilter, limit: number, after: string) => Effect.Effect<DaemonsFound, StoreFailed>
    readonly describe: (daemonId: string) => Effect.Effect<DescribedDaemon | undefined, StoreFailed>
  }
>()("hub/DaemonSearch") {
  static readonly layer = Layer.effect(DaemonSearch)(Effect.suspend(() => make))
}

const copied = `(coalesce((d.picture -> 'problems')::jsonb, '[]') @> '${JSON.stringify([copiedIdentity]).replaceAll("'", "''")}')`

const columns = `d.id as "daemonId", d.account_id as "accountId", a.email, a.disabled as "accountDisabled", d.hostname,
  d.nickname, d.platform, d.version, p.online_since is not null as online, p.node, d.revoked,
  coalesce(p.online_since, d.connected_at) as "connectedAt", d.last_seen_at as "lastSeenAt",
  p.last_ended_at as "lastEndedAt", p.last_end_reason as "lastEndReason", p.last_close_code as "lastCloseCode",
  ${copied} as "identityCopied"`

const joined = "daemons d join accounts a on a.id = d.account_id left join daemon_presence p on p.daemon_id = d.id"

// Two texts, so that the index by account is used whatever plan is kept for the statement.
const findText = (account: string) => `with looked as materialized (
    select id from daemons where id > $1 and ${account} order by id limit ${searchedDaemonsMax}
  ), found as (
    select ${columns} from looked l join ${joined} on d.id = l.id
    where ($3::text is null or d.version = $3)
      and ($4::boolean is null or (p.online_since is not null) = $4)
      and ($5::bigint is null or p.online_since is not null or d.last_seen_at >= $5)
      and ($6::bigint is null or p.online_since is null and d.last_seen_at < $6)
      and ($7::text is null or p.last_end_reason = $7)
      and ($8::integer is null or p.last_close_code = $8)
      and ($9::boolean is null or ${copied} = $9)
    order by d.id limit $10
  )
  select (select max(id) from looked) as "lookedTo", (select count(*) from looked) as looked, f.*
  from (values (1)) as always left join found f on true order by f."daemonId"`

const findInAll = findText("$2::text is null")
const findInAccount = findText("account_id = $2")

const describeText = `select ${columns}, d.created_at as "createdAt", coalesce(p.epoch, 0) as epoch,
    (select count(*) from daemon_tokens t where t.daemon_id = d.id and t.revoked_at is null) as tokens,
    (d.picture ->> 'observedAt')::bigint as "observedAt",
    coalesce(json_array_length(d.picture -> 'sessions'), 0) as sessions,
    coalesce(d.picture -> 'problems', '[]'::json) as problems
  from ${joined} where d.id = $1`

interface Looked {
  readonly lookedTo: string | null
  readonly looked: number
}

type Row = Looked & { readonly [K in keyof FoundDaemon]: FoundDaemon[K] | null }

const pageOf = (rows: ReadonlyArray<Row>, limit: number): DaemonsFound => {
  const found = rows.flatMap(({ lookedTo: _, looked: __, ...row }) =>
    row.daemonId === null ? [] : [row as FoundDaemon]
  )
  const daemons = found.slice(0, limit)
  if (found.length > limit) return { daemons, next: daemons.at(-1)!.daemonId }
  const [first] = rows
  return { daemons, next: first?.looked === searchedDaemonsMax ? (first.lookedTo ?? undefined) : undefined }
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return DaemonSearch.of({
    find: (
      { accountId, version, online, seenSince, seenBefore, endReason, closeCode, identityCopied },
      limit,
      after
    ) => {
      const given = [version, online, seenSince, seenBefore, endReason, closeCode, identityCopied]
      const values = given.map((value) => value ?? null)
      const text = accountId === undefined ? findInAll : findInAccount
      const rows = sql.unsafe<Row>(text, [after, accountId ?? null, ...values, limit + 1])
      return Effect.map(query.attempt("search daemons", rows), (found) => pageOf(found, limit))
    },
    describe: (daemonId) =>
      isId("daemon", daemonId)
        ? query.one("describe a daemon", sql.unsafe<DescribedDaemon>(describeText, [daemonId]))
        : Effect.succeed(undefined)
  })
})
