/**
 * The store of daemons and their tokens. Owns their rows: the owner of a token, the last snapshot of each daemon, and
 * tombstones of revoked tokens. Who is online is presence.ts's. Hashes are lower-case hex outside and bytes in the
 * table.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Plan } from "../../domain/account/plans.ts"
import type { Selector } from "../../domain/daemon/selector.ts"
import type { Snapshot } from "../../domain/daemon/snapshot.ts"
import type { OwnerTags } from "../../domain/daemon/tags.ts"
import { isId } from "../../domain/ids.ts"
import type { DaemonLimitReached, Overloaded, StoreFailed } from "../../errors.ts"
import { anyRecorded } from "../accounts/recorded-change.ts"
import * as query from "../sql/query.ts"
import { makeQueryBatcher } from "../sql/query-batcher.ts"
import { endOlderTokens } from "./daemon-tokens.ts"
import { type Enrolment, enrolment } from "./enrolment.ts"
import { selectorText, selectorValues } from "./selector-condition.ts"
import {
  lastEndColumn,
  ownerTagsColumn,
  type SnapshotRow,
  snapshotColumns,
  snapshotOf,
  snapshotsText,
  snapshotValues
} from "./snapshots.ts"

export type { Enrolment } from "./enrolment.ts"

/** The owner of a token. */
export interface TokenOwner {
  readonly daemonId: string
  readonly accountId: string
  readonly plan: Plan
  /** The token is a tombstone. */
  readonly revoked: boolean
  /** When the token was made; orders the tokens of a daemon. */
  readonly tokenAt: number
  /** Whether older tokens of its daemon are still valid: the first use of this one ends them. */
  readonly supersedes: boolean
  readonly accountDisabled: boolean
  /** The last nickname that the daemon reported. */
  readonly nickname: string
  /** What its owner gave it. Null: never any. */
  readonly ownerTags?: OwnerTags | null
}

/** A page of an account's snapshots. `after`: the last id of the page before, empty for the first. */
export interface SnapshotsPage {
  readonly limit: number
  readonly after: string
  readonly except: ReadonlyArray<string>
  /** Only those that are meant. */
  readonly selector?: Selector | undefined
}

/** A daemon as its account's administrator lists it. */
export type Enrolled = Pick<
  SnapshotRow,
  "daemonId" | "hostname" | "nickname" | "platform" | "version" | "revoked" | "lastSeenAt"
>

/** A daemon that was removed. */
interface RemovedDaemon {
  readonly daemonId: string
  readonly accountId: string
}

/** The store of daemons. */
export class Daemons extends Context.Service<
  Daemons,
  {
    /**
     * Adds a token, and the daemon unless it exists; a revoked one is in use again. Its older tokens are good until the
     * new one is used. Undefined: not a daemon of this account. Never more daemons than the plan allows, however many
     * ask at once.
     */
    readonly enrol: (enrolment: Enrolment) => Effect.Effect<string | undefined, DaemonLimitReached | StoreFailed>
    /** The owner of the token with this hash; concurrent calls share one statement. */
    readonly tokenOwner: (hash: string) => Effect.Effect<TokenOwner | undefined, Overloaded | StoreFailed>
    /** Ends the tokens of a daemon that are older than the one of this hash. */
    readonly endOlderTokens: (hash: string) => Effect.Effect<void, StoreFailed>
    /** Stores snapshots, the newest of each daemon. One of an older connection than the stored one changes nothing. */
    readonly saveSnapshots: (snapshots: ReadonlyArray<Snapshot>) => Effect.Effect<void, StoreFailed>
    /** The last snapshot of a daemon of this account. */
    readonly snapshot: (accountId: string, daemonId: string) => Effect.Effect<Snapshot | undefined, StoreFailed>
    /** The last snapshots of these daemons of this account, in any order. */
    readonly snapshotsById: (
      accountId: string,
      daemonIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Snapshot>, StoreFailed>
    /** The last snapshot of a daemon of any account. */
    readonly byId: (daemonId: string) => Effect.Effect<Snapshot | undefined, StoreFailed>
    /**
     * The last snapshots of an account's daemons, by id: so many after one, without revoked ones and those of `except`.
     */
    readonly snapshots: (accountId: string, page: SnapshotsPage) => Effect.Effect<ReadonlyArray<Snapshot>, StoreFailed>
    /** All of an account, revoked ones too, by id: so many after one. Without what they reported. */
    readonly enrolled: (
      accountId: string,
      limit: number,
      after: string
    ) => Effect.Effect<ReadonlyArray<Enrolled>, StoreFailed>
    /** Makes a tombstone of every token of a daemon. False when it is not of this account. */
    readonly revoke: (accountId: string, daemonId: string) => Effect.Effect<boolean, StoreFailed>
    /** Removes ephemeral daemons that are due, with their tokens, for ever: at most so many. Says which. */
    readonly removeEphemeral: (now: number, limit: number) => Effect.Effect<ReadonlyArray<RemovedDaemon>, StoreFailed>
    /** Removes a daemon and every token of it, for ever. False when it is not of this account. */
    readonly remove: (accountId: string, daemonId: string) => Effect.Effect<boolean, StoreFailed>
  }
>()("hub/Daemons") {
  static readonly layer = Layer.effect(Daemons)(Effect.suspend(() => make))
}

const bytes = (hex: string): Buffer => Buffer.from(hex, "hex")

const owners = (sql: SqlClient.SqlClient) => (hashes: ReadonlyArray<string>) =>
  Effect.map(
    sql<TokenOwner & { hash: Buffer }>`
        select t.hash, t.daemon_id as "daemonId", t.account_id as "accountId", a.plan,
          t.revoked_at is not null as revoked, a.disabled as "accountDisabled", d.nickname,
          ${sql.literal(ownerTagsColumn)},
          t.created_at as "tokenAt", exists (
            select from daemon_tokens o
            where o.daemon_id = t.daemon_id and o.created_at < t.created_at and o.revoked_at is null
          ) as supersedes
        from daemon_tokens t join daemons d on d.id = t.daemon_id join accounts a on a.id = t.account_id
        where t.hash = any(${hashes.map(bytes)}::bytea[])`,
    (rows): ReadonlyArray<TokenOwner | undefined> => {
      const found = new Map(rows.map(({ hash, ...owner }) => [hash.toString("hex"), owner]))
      return hashes.map((hash) => found.get(hash))
    }
  )

const revocation = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (accountId: string, daemonId: string) {
    if (!isId("daemon", daemonId)) return false
    const now = yield* Clock.currentTimeMillis
    return yield* anyRecorded(
      sql,
      "revoke a daemon",
      sql`with daemon as (
            update daemons set revoked = true where id = ${daemonId} and account_id = ${accountId} returning id
          ), tokens as (
            update daemon_tokens set revoked_at = ${now}
            where daemon_id in (select id from daemon) and revoked_at is null
          ), events as (
            delete from events_seen where daemon_id in (select id from daemon)
          )
          select id from daemon`,
      { action: "daemon.revoked", accountId, object: daemonId }
    )
  })

/** By the clock of the node or the database's, whichever is behind: one that jumped ahead removes none too early. */
const isDue = (since: string): string =>
  `${since} <= least($1::bigint, ${query.databaseNow}) - d.remove_after_minutes * 60000::bigint`

/**
 * Those that left long enough ago, or never connected. None is connected then: the row of its presence is locked, where
 * a connection would claim it, or its own, without which there is no first claim. Several nodes may do this at once.
 */
const removeEphemeral = (sql: SqlClient.SqlClient) => (now: number, limit: number) =>
  Effect.gen(function* () {
    const gone = (condition: string) => `with past as (${condition}), removed as (
        delete from daemons where id = any(array(select id from past)) returning id, account_id
      ), events as (
        delete from events_seen where daemon_id in (select id from removed)
      )
      select id as "daemonId", account_id as "accountId" from removed`
    const left = yield* sql.unsafe<RemovedDaemon>(
      gone(`select d.id from daemons d join daemon_presence p on p.daemon_id = d.id
        where d.remove_after_minutes is not null and p.node is null
          and ${isDue("p.last_ended_at")}
        order by d.id limit $2 for update of p, d skip locked`),
      [now, limit]
    )
    if (left.length >= limit) return left
    const never = Effect.gen(function* () {
      const found = yield* sql.unsafe<{ id: string }>(
        `select d.id from daemons d
        where d.remove_after_minutes is not null and ${isDue("d.created_at")}
          and not exists (select from daemon_presence p where p.daemon_id = d.id)
        order by d.id limit $2 for update of d skip locked`,
        [now, limit - left.length]
      )
      if (found.length === 0) return []
      // one may have connected after that statement began, before its row was locked
      return yield* sql.unsafe<RemovedDaemon>(
        gone(`select id from unnest($1::text[]) as found (id)
          where not exists (select from daemon_presence p where p.daemon_id = found.id)`),
        [found.map(({ id }) => id)]
      )
    })
    return [...left, ...(yield* sql.withTransaction(never))]
  }).pipe((removal) => query.attempt("remove ephemeral daemons", removal))

const rowsText = "daemons d left join daemon_presence p on p.daemon_id = d.id"

/**
 * An account, an id, ids that are left out, how many, the terms of a selector. Postgres looks `not in` over a subselect
 * up in a hash, however many there are.
 */
const listText = `select ${snapshotColumns} from ${rowsText}
  where d.account_id = $1 and d.id > $2 and not d.revoked and d.id not in (select unnest($3::text[]))
    and ${selectorText(5)}
  order by d.id limit $4`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(snapshotColumns)
  const lastEnd = sql.literal(lastEndColumn)
  const rows = sql.literal(rowsText)

  return Daemons.of({
    enrol: enrolment(sql),
    tokenOwner: yield* makeQueryBatcher({ name: "look up daemon tokens", queue: "tokens", run: owners(sql) }),
    endOlderTokens: endOlderTokens(sql),
    saveSnapshots: (snapshots) =>
      snapshots.length === 0
        ? Effect.void
        : query.run("store snapshots", sql.unsafe(snapshotsText, snapshotValues(snapshots))),
    snapshot: (accountId, daemonId) =>
      isId("daemon", daemonId)
        ? query.one(
            "read a daemon",
            sql<SnapshotRow>`select ${columns}, ${lastEnd} from ${rows} where d.id = ${daemonId} and d.account_id = ${accountId}`,
            snapshotOf
          )
        : Effect.succeed(undefined),
    byId: (daemonId) =>
      isId("daemon", daemonId)
        ? query.one(
            "read a daemon",
            sql<SnapshotRow>`select ${columns} from ${rows} where d.id = ${daemonId}`,
            snapshotOf
          )
        : Effect.succeed(undefined),
    snapshotsById: (accountId, daemonIds) =>
      query.many(
        "read daemons",
        sql<SnapshotRow>`select ${columns} from ${rows}
            where d.id = any(${daemonIds}::text[]) and d.account_id = ${accountId}`,
        snapshotOf
      ),
    snapshots: (accountId, { limit, after, except, selector = [] }) =>
      query.many(
        "list daemons",
        sql.unsafe<SnapshotRow>(listText, [accountId, after, except, limit, ...selectorValues(selector)]),
        snapshotOf
      ),
    enrolled: (accountId, limit, after) =>
      query.many(
        "list daemons",
        sql<Enrolled>`select id as "daemonId", hostname, nickname, platform, version, revoked,
            last_seen_at as "lastSeenAt"
          from daemons where account_id = ${accountId} and id > ${after} order by id limit ${limit}`
      ),
    revoke: revocation(sql),
    removeEphemeral: removeEphemeral(sql),
    remove: (accountId, daemonId) =>
      isId("daemon", daemonId)
        ? anyRecorded(
            sql,
            "remove a daemon",
            sql`with daemon as (
                    delete from daemons where id = ${daemonId} and account_id = ${accountId} returning id
                  ), events as (
                    delete from events_seen where daemon_id in (select id from daemon)
                  )
                  select id from daemon`,
            { action: "daemon.removed", accountId, object: daemonId }
          )
        : Effect.succeed(false)
  })
})
