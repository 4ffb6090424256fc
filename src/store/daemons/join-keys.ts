/**
 * The store of join keys, by which machines enrol themselves. Owns their rows, by hash (lower-case hex outside), and
 * that a key takes no more machines than it says, however many come at once. enrolment.ts adds the daemons.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Tags } from "../../domain/daemon/tags.ts"
import { isId } from "../../domain/ids.ts"
import { JoinKeyLimitReached } from "../../errors.ts"
import { joinKeysPerAccountMax } from "../../limits/join-keys.ts"
import { anyRecorded, attemptRecorded } from "../accounts/recorded-change.ts"
import { prune } from "../sql/pruning.ts"
import * as query from "../sql/query.ts"
import { makeQueryBatcher } from "../sql/query-batcher.ts"
import { type Joining, joining } from "./joining.ts"

/** A join key as its owner sees it. Times are epoch milliseconds. */
export interface JoinKey {
  readonly id: string
  readonly name: string
  /** The first characters of the key. */
  readonly prefix: string
  /** What each machine that comes by it is given. */
  readonly tags: Tags
  /** How many machines it takes; null: any number. */
  readonly maxUses: number | null
  readonly uses: number
  /** How long after it left a daemon that came by it is removed; null: never. */
  readonly removeAfterMinutes: number | null
  readonly createdAt: number
  readonly expiresAt: number | null
}

/** A new join key. */
export interface JoinKeyDraft extends Omit<JoinKey, "uses"> {
  readonly accountId: string
  readonly hash: string
}

/** The account's row is locked before its keys are counted, so that a concurrent call counts this one too. */
const addition = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (draft: JoinKeyDraft) {
    const { accountId, maxUses, removeAfterMinutes, createdAt, expiresAt } = draft
    yield* sql`select id from accounts where id = ${accountId} for no key update`
    const added = yield* sql`
      insert into join_keys (id, account_id, name, prefix, hash, tags, max_uses, remove_after_minutes, created_at,
        expires_at)
      select ${draft.id}::text, ${accountId}::text, ${draft.name}::text, ${draft.prefix}::text,
        ${Buffer.from(draft.hash, "hex")}::bytea, ${JSON.stringify(draft.tags)}::jsonb, ${maxUses}::integer,
        ${removeAfterMinutes}::integer, ${createdAt}::bigint, ${expiresAt}::bigint
      where (select count(*) from join_keys where account_id = ${accountId}) < ${joinKeysPerAccountMax}
      returning id`
    if (added.length === 0) return yield* new JoinKeyLimitReached({ limit: joinKeysPerAccountMax })
  })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const clock = yield* Clock.Clock
  const join = joining(sql)
  const takesMachines = yield* makeQueryBatcher<string, boolean>({
    name: "look up join keys",
    queue: "join keys",
    run: (hashes) =>
      Effect.map(
        sql<{ hash: Buffer }>`
            select j.hash from join_keys j join accounts a on a.id = j.account_id and not a.disabled
            where j.hash = any(${hashes.map((hash) => Buffer.from(hash, "hex"))}::bytea[])
              and (j.max_uses is null or j.uses < j.max_uses)
              and (j.expires_at is null or j.expires_at > ${clock.currentTimeMillisUnsafe()}::bigint)`,
        (rows) => {
          const found = new Set(rows.map(({ hash }) => hash.toString("hex")))
          return hashes.map((hash) => found.has(hash))
        }
      )
  })
  return {
    add: (draft: JoinKeyDraft) =>
      attemptRecorded(sql, "add a join key", addition(sql)(draft), () => ({
        action: "join_key.created",
        accountId: draft.accountId,
        object: draft.id
      })),
    /** All of an account, newest first. */
    listByAccount: (accountId: string) =>
      query.many(
        "list join keys",
        sql<JoinKey>`select id, name, prefix, tags, max_uses as "maxUses", uses,
            remove_after_minutes as "removeAfterMinutes", created_at as "createdAt", expires_at as "expiresAt"
          from join_keys where account_id = ${accountId} order by created_at desc, id desc
          limit ${joinKeysPerAccountMax}`
      ),
    /** Ends a key for new machines. False: not a key of this account. */
    remove: (accountId: string, id: string) =>
      isId("joinKey", id)
        ? anyRecorded(
            sql,
            "remove a join key",
            sql`delete from join_keys where id = ${id} and account_id = ${accountId} returning id`,
            { action: "join_key.removed", accountId, object: id }
          )
        : Effect.succeed(false),
    /** Whether the key with this hash takes a new machine now; concurrent calls share one statement. */
    takesMachines,
    /**
     * Enrols a machine. One that asked before and has never connected is the same daemon, and its earlier tokens end.
     * Undefined: there is no such key, or it has ended.
     */
    join: (given: Joining) => query.attempt("enrol a machine", sql.withTransaction(join(given))),
    /** Removes those that expired before; returns the number of rows. */
    prune: (before: number) =>
      prune(sql, "remove old join keys", { table: "join_keys", key: "id", by: "expires_at", before })
  }
})

export class JoinKeys extends Context.Service<JoinKeys, Effect.Success<typeof make>>()("hub/JoinKeys") {
  static readonly layer = Layer.effect(JoinKeys, make)
}
