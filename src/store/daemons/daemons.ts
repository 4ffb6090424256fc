/**
 * The store of daemons and their tokens. Owns their rows: the owner of a token, the last snapshot of each daemon, which
 * daemons are recorded as online, and tombstones of revoked tokens. Knows nothing of live connections. Hashes are
 * lower-case hex outside and bytes in the table.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Plan } from "../../domain/account/plans.ts"
import type { Snapshot } from "../../domain/daemon/snapshot.ts"
import { isId } from "../../domain/ids.ts"
import type { DaemonLimitReached, Overloaded, StoreFailed } from "../../errors.ts"
import { onlineRowsMax } from "../../limits.ts"
import { attempt } from "../sql/client.ts"
import { makeQueryBatcher } from "../sql/query-batcher.ts"
import { type Numbered, numberConnections } from "./connection-numbers.ts"
import { endOlderTokens } from "./daemon-tokens.ts"
import { type Enrolment, enrolment } from "./enrolment.ts"
import { type SnapshotRow, snapshotColumns, snapshotOf, snapshotsText, snapshotValues } from "./snapshots.ts"

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
  /** The number of the daemon's last stored connection. */
  readonly epoch: number
  /** The last nickname that the daemon reported. */
  readonly nickname: string
}

/** What a node must learn of a daemon after it missed messages or Redis lost its memory. */
export interface Standing {
  readonly daemonId: string
  /** The number of its newest connection, on any node. */
  readonly epoch: number
  readonly revoked: boolean
  readonly accountDisabled: boolean
  /** Whether it is recorded, and thus announced, as online. */
  readonly online: boolean
}

/** A page of an account's snapshots. `after`: the last id of the page before, empty for the first. */
export interface SnapshotsPage {
  readonly limit: number
  readonly after: string
  readonly except: ReadonlyArray<string>
}

/** A daemon as its account's administrator lists it. */
export type Enrolled = Pick<
  SnapshotRow,
  "daemonId" | "hostname" | "nickname" | "platform" | "version" | "revoked" | "lastSeenAt"
>

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
    /**
     * A number for the next connection of a daemon, above every earlier one; asked for many at once. Undefined: no
     * daemon.
     */
    readonly nextEpoch: (daemonId: string) => Effect.Effect<Numbered | undefined, Overloaded | StoreFailed>
    /** Stores snapshots, the newest of each daemon. One of an older connection than the stored one changes nothing. */
    readonly saveSnapshots: (snapshots: ReadonlyArray<Snapshot>) => Effect.Effect<void, StoreFailed>
    /** The last snapshot of a daemon of this account. */
    readonly snapshot: (accountId: string, daemonId: string) => Effect.Effect<Snapshot | undefined, StoreFailed>
    /** The last snapshot of a daemon, whoever owns it. */
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
    /** The snapshots of all daemons recorded as online. */
    readonly recordedOnline: Effect.Effect<ReadonlyArray<Snapshot>, StoreFailed>
    /** How these stand, in any order; unknown ones are missing. */
    readonly standings: (daemonIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Standing>, StoreFailed>
    /** Records many daemons as online or not. */
    readonly setOnline: (daemonIds: ReadonlyArray<string>, online: boolean) => Effect.Effect<void, StoreFailed>
    /** Makes a tombstone of every token of a daemon. False when it is not of this account. */
    readonly revoke: (accountId: string, daemonId: string) => Effect.Effect<boolean, StoreFailed>
    /** Removes a daemon and every token of it, for ever. False when it is not of this account. */
    readonly remove: (accountId: string, daemonId: string) => Effect.Effect<boolean, StoreFailed>
  }
>()("hub/Daemons") {
  static readonly layer = Layer.effect(
    Daemons,
    Effect.suspend(() => make)
  )
}

const bytes = (hex: string): Buffer => Buffer.from(hex, "hex")

const owners = (sql: SqlClient.SqlClient) => (hashes: ReadonlyArray<string>) =>
  Effect.map(
    attempt(
      "look up daemon tokens",
      sql<TokenOwner & { hash: Buffer }>`
        select t.hash, t.daemon_id as "daemonId", t.account_id as "accountId", a.plan,
          t.revoked_at is not null as revoked, a.disabled as "accountDisabled", d.epoch, d.nickname,
          t.created_at as "tokenAt", exists (
            select from daemon_tokens o
            where o.daemon_id = t.daemon_id and o.created_at < t.created_at and o.revoked_at is null
          ) as supersedes
        from daemon_tokens t join daemons d on d.id = t.daemon_id join accounts a on a.id = t.account_id
        where t.hash = any(${hashes.map(bytes)}::bytea[])`
    ),
    (rows): ReadonlyArray<TokenOwner | undefined> => {
      const found = new Map(rows.map(({ hash, ...owner }) => [hash.toString("hex"), owner]))
      return hashes.map((hash) => found.get(hash))
    }
  )

const standings = (sql: SqlClient.SqlClient) => (daemonIds: ReadonlyArray<string>) =>
  attempt(
    "read how daemons stand",
    sql<Standing>`select d.id as "daemonId", d.epoch, d.revoked, d.online, coalesce(a.disabled, false) as "accountDisabled"
      from daemons d left join accounts a on a.id = d.account_id where d.id = any(${daemonIds}::text[])`
  )

/** In pages: a node may have had a hundred thousand daemons. */
const allOnline = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const found: Array<Snapshot> = []
    for (let after = ""; ; ) {
      const page = yield* attempt(
        "read which daemons are recorded as online",
        sql<SnapshotRow>`select ${sql.literal(snapshotColumns)} from daemons d
          where online and id > ${after} order by id limit ${onlineRowsMax}`
      )
      found.push(...page.map(snapshotOf))
      const last = page.at(-1)
      if (last === undefined || page.length < onlineRowsMax) return found
      after = last.daemonId
    }
  })

const revocation = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (accountId: string, daemonId: string) {
    if (!isId("daemon", daemonId)) return false
    const now = yield* Clock.currentTimeMillis
    const rows = yield* attempt(
      "revoke a daemon",
      sql`with daemon as (
          update daemons set revoked = true where id = ${daemonId} and account_id = ${accountId} returning id
        ), tokens as (
          update daemon_tokens set revoked_at = ${now}
          where daemon_id in (select id from daemon) and revoked_at is null
        ), events as (
          delete from events_seen where daemon_id in (select id from daemon)
        )
        select id from daemon`
    )
    return rows.length > 0
  })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(snapshotColumns)

  const one = (operation: string, rows: Effect.Effect<ReadonlyArray<SnapshotRow>, StoreFailed>) =>
    Effect.map(attempt(operation, rows), ([row]) => (row === undefined ? undefined : snapshotOf(row)))

  return Daemons.of({
    enrol: enrolment(sql),
    tokenOwner: yield* makeQueryBatcher({ name: "look up daemon tokens", run: owners(sql) }),
    endOlderTokens: endOlderTokens(sql),
    nextEpoch: yield* makeQueryBatcher({ name: "number connections", run: numberConnections(sql) }),
    saveSnapshots: (snapshots) =>
      snapshots.length === 0
        ? Effect.void
        : attempt("store snapshots", Effect.asVoid(sql.unsafe(snapshotsText, snapshotValues(snapshots)))),
    snapshot: (accountId, daemonId) =>
      isId("daemon", daemonId)
        ? one(
            "read a daemon",
            attempt(
              "read a daemon",
              sql<SnapshotRow>`select ${columns} from daemons d where id = ${daemonId} and account_id = ${accountId}`
            )
          )
        : Effect.succeed(undefined),
    byId: (daemonId) =>
      isId("daemon", daemonId)
        ? one(
            "read a daemon",
            attempt("read a daemon", sql<SnapshotRow>`select ${columns} from daemons d where id = ${daemonId}`)
          )
        : Effect.succeed(undefined),
    // Postgres looks `not in` over a subselect up in a hash, however many there are.
    snapshots: (accountId, { limit, after, except }) =>
      Effect.map(
        attempt(
          "list daemons",
          sql<SnapshotRow>`select ${columns} from daemons d
            where account_id = ${accountId} and id > ${after} and not revoked
              and id not in (select unnest(${except}::text[]))
            order by id limit ${limit}`
        ),
        (rows) => rows.map(snapshotOf)
      ),
    enrolled: (accountId, limit, after) =>
      attempt(
        "list daemons",
        sql<Enrolled>`select id as "daemonId", hostname, nickname, platform, version, revoked,
            last_seen_at as "lastSeenAt"
          from daemons where account_id = ${accountId} and id > ${after} order by id limit ${limit}`
      ),
    recordedOnline: allOnline(sql),
    standings: standings(sql),
    setOnline: (daemonIds, online) =>
      attempt(
        "record which daemons are online",
        Effect.asVoid(sql`
          with locked as (
            select id from daemons where id = any(${daemonIds}::text[]) and online <> ${online} order by id for update
          )
          update daemons d set online = ${online} from locked where d.id = locked.id`)
      ),
    revoke: revocation(sql),
    remove: (accountId, daemonId) =>
      isId("daemon", daemonId)
        ? Effect.map(
            attempt(
              "remove a daemon",
              sql`with daemon as (
                  delete from daemons where id = ${daemonId} and account_id = ${accountId} returning id
                ), events as (
                  delete from events_seen where daemon_id in (select id from daemon)
                )
                select id from daemon`
            ),
            (rows) => rows.length > 0
          )
        : Effect.succeed(false)
  })
})
