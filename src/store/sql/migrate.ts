/**
 * Brings a database to this version's schema: forward only, each step in a transaction under one advisory lock, so that
 * nodes which start together take turns. Refuses a database that a newer version has changed, or that is too old. Owns
 * `hub_migrations`, and the sentences of these refusals.
 */
import { Clock, Data, Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreFailed } from "../../errors.ts"
import { nodeLeaseMillis } from "../../limits/nodes.ts"
import {
  type AppliedStep,
  baseRevision,
  type Migration,
  migrations,
  relevantSteps,
  standingOf
} from "../migrations/index.ts"
import * as query from "./query.ts"
import { classOf } from "./sql-errors.ts"

/** Why a database is not brought to this version though its store works: each ends the start. */
export type SchemaRefused = DatabaseNewer | DatabaseOlder | NodesRunning

/** A newer version of the hub has changed this database; this one must not touch it. */
class DatabaseNewer extends Data.TaggedError("DatabaseNewer")<{ readonly found: string; readonly known: string }> {
  override get message(): string {
    return `the database is from a newer version of the hub: it holds ${this.found}, this version knows up to ${this.known}`
  }
}

/** The database is of a revision whose steps this version no longer has. */
class DatabaseOlder extends Data.TaggedError("DatabaseOlder")<{ readonly found: string; readonly revision: string }> {
  override get message(): string {
    return `the database is at ${this.found}, which this version does not carry over: start revision ${this.revision} of the hub on it once, then this version`
  }
}

/** Nodes of an earlier version use this database, and this version cannot run beside them. */
class NodesRunning extends Data.TaggedError("NodesRunning")<{ readonly nodes: number; readonly migration: string }> {
  override get message(): string {
    return `${this.nodes} node(s) of an earlier version use this database, and ${this.migration} needs them stopped: stop all nodes, then start this version`
  }
}

/** Any number; all hubs on one database must use the same. */
const lock = 4_827_113

/** How often it is looked whether the nodes that must be stopped are. */
const lookMillis = 500

/** A node that was killed just now counts as running until its lease has ended: that long is waited. */
const looksMax = nodeLeaseMillis / lookMillis + 1

/** Fails while a node says that it is alive. */
const refuseBesideNodes = (sql: SqlClient.SqlClient, { name }: Migration) =>
  Effect.flatMap(
    sql<{ nodes: number }>`select count(*) as nodes from nodes
      where seen_at > ${sql.literal(query.databaseNow)} - ${nodeLeaseMillis}::bigint`,
    ([found]) => (found!.nodes > 0 ? new NodesRunning({ nodes: found!.nodes, migration: name }) : Effect.void)
  )

/** What another try gets past: nodes that end, and ones that held two tables the other way round. */
const isPassing = (failure: StoreFailed | SchemaRefused): boolean =>
  failure._tag === "NodesRunning" || (failure._tag === "StoreFailed" && classOf(failure.cause) === "DeadlockError")

/** Applies missing migrations; returns their names. */
export const migrate = (
  steps: ReadonlyArray<Migration> = migrations
): Effect.Effect<ReadonlyArray<string>, StoreFailed | SchemaRefused, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const known = steps.map(({ id }) => id)

    /** The step that comes next; undefined: this database has had all. */
    const missing = Effect.gen(function* () {
      const all = yield* sql<AppliedStep & { name: string }>`select id, name, needs from hub_migrations order by id`
      const applied = relevantSteps(all, known)
      const standing = standingOf(
        applied.map(({ id }) => id),
        known
      )
      if (standing.older) return yield* new DatabaseOlder({ found: applied.at(-1)!.name, revision: baseRevision })
      const newer = applied.find(({ id }) => id === standing.newer)
      if (newer !== undefined) return yield* new DatabaseNewer({ found: newer.name, known: steps.at(-1)!.name })
      return steps.find(({ id }) => id === standing.missing[0])
    })

    // Most starts have nothing to do: 20 ms less than by statements that make what is there (`./hub bench start`).
    const isDone = Effect.gen(function* () {
      const [found] = yield* sql<{ made: boolean }>`select exists (
        select from pg_attribute where attrelid = to_regclass('hub_migrations') and attname = 'needs'
      ) as made`
      return found!.made && (yield* missing) === undefined
    })

    // Reads again under the lock: another node may have applied the migration meanwhile.
    const next = Effect.gen(function* () {
      yield* sql`select pg_advisory_xact_lock(${lock})`
      yield* sql`create table if not exists hub_migrations (
        id integer primary key, name text not null, applied_at bigint not null
      )`
      yield* sql`alter table hub_migrations add column if not exists needs integer`
      const step = yield* missing
      if (step === undefined) return undefined
      if (step.alone === true) yield* refuseBesideNodes(sql, step)
      for (const statement of step.statements) yield* sql.unsafe(statement).unprepared
      const now = yield* Clock.currentTimeMillis
      yield* sql`insert into hub_migrations (id, name, applied_at, needs)
        values (${step.id}, ${step.name}, ${now}, ${step.needs ?? 0})`
      return step.name
    }).pipe(sql.withTransaction)

    const taken: Array<string> = []
    if (yield* query.attempt("migrate the database", isDone)) return taken
    for (;;) {
      const name = yield* Effect.retry(query.attempt("migrate the database", next), {
        while: isPassing,
        schedule: Schedule.spaced(lookMillis),
        times: looksMax
      })
      if (name === undefined) return taken
      taken.push(name)
    }
  })
