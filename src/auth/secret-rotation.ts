/**
 * `hub secret rotate`: seals every stored secret anew under the first key of HUB_SECRET_KEY, in bounded steps while the
 * hub serves, and says when the others may be dropped. Owns which columns are sealed. The rows say themselves what is
 * done: after a kill the next call goes on.
 */
import { Clock, Context, Data, Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { SecretKeyUnusable } from "../config/secret-key.ts"
import { type Settings, withSecretKey } from "../config.ts"
import type { StoreFailed } from "../errors.ts"
import { adminRemovalMillisMax } from "../limits/admin.ts"
import { deadlockRetriesMax } from "../limits/delivery.ts"
import { nodeLeaseMillis } from "../limits/nodes.ts"
import { resealedRowsMax, rotationNamedMax, rotationWalksMax, startingNodeMillis } from "../limits/secrets.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"
import * as query from "../store/sql/query.ts"
import { makeSeal, type Seal, sealedUnder } from "./secret-box.ts"

/** The rotation cannot end yet, or not begin. */
export class RotationRefused extends Data.TaggedError("RotationRefused")<{ readonly sentence: string }> {
  override get message(): string {
    return this.sentence
  }
}

/** Where a walk over the secrets is. */
export interface RotationPlace {
  readonly resealed: number
  readonly walk: number
  /** Of `sealedTables`. */
  readonly table: number
  /** The last row that was looked at. */
  readonly row: string
}

/** What a step did. Without `next` all is done. */
export interface RotationStep {
  readonly keyId: string
  /** The other keys of this hub; nothing is sealed under them when all is done. */
  readonly olderKeyIds: ReadonlyArray<string>
  readonly resealed: number
  readonly next: RotationPlace | undefined
}

interface SealedTable {
  readonly table: string
  readonly id: string
  readonly columns: ReadonlyArray<string>
  /** The owner that a secret of this row was sealed for. */
  readonly belongs: (id: string) => string
}

const sealedTables: ReadonlyArray<SealedTable> = [
  { table: "signing_keys", id: "kid", columns: ["sealed"], belongs: (id) => `signing key ${id}` },
  { table: "push_keys", id: "id", columns: ["sealed"], belongs: (id) => `push key ${id}` },
  { table: "push_subscriptions", id: "id", columns: ["sealed"], belongs: (id) => id },
  { table: "webhooks", id: "id", columns: ["secret", "old_secret"], belongs: (id) => id },
  { table: "jobs", id: "id", columns: ["payload"], belongs: (id) => id }
]

const start: RotationPlace = { resealed: 0, walk: 1, table: 0, row: "" }

type Row = Readonly<Record<string, string | null>>
const deadlocked = (error: unknown): boolean => SqlError.isSqlError(error) && error.reason._tag === "DeadlockError"

/** The text sealed anew; undefined where it is already, or opens under no key: the end names what is left. */
const resealed = (seal: Seal, text: string | null, belongs: string): string | undefined => {
  if (text === null || sealedUnder(text) === seal.keyId) return undefined
  try {
    return seal.seal(seal.open(text, belongs), belongs)
  } catch {
    return undefined
  }
}

/** Seals the next rows anew. A secret that was changed meanwhile is left as it is now. */
const resealSome = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, seal: Seal, place: RotationPlace) {
  const { table, id, columns, belongs } = sealedTables[place.table]!
  const rows = yield* sql.unsafe<Row>(
    `select ${[`${id} as "rowId"`, ...columns].join(", ")} from ${table} where ${id} > $1 order by ${id} limit $2`,
    [place.row, resealedRowsMax]
  )
  let count = 0
  for (const column of columns) {
    const changes = rows.flatMap((row) => {
      const text = resealed(seal, row[column]!, belongs(row["rowId"]!))
      return text === undefined ? [] : [{ id: row["rowId"]!, before: row[column]!, text }]
    })
    if (changes.length === 0) continue
    const done = yield* sql
      .unsafe(
        `update ${table} t set ${column} = c.text
         from unnest($1::text[], $2::text[], $3::text[]) as c (id, before, text)
         where t.${id} = c.id and t.${column} = c.before returning 1`,
        [changes.map((one) => one.id), changes.map((one) => one.before), changes.map((one) => one.text)]
      )
      .pipe(Effect.retry({ times: deadlockRetriesMax, while: deadlocked }))
    count += done.length
  }
  const isLast = rows.length < resealedRowsMax
  return {
    ...place,
    resealed: place.resealed + count,
    table: place.table + (isLast ? 1 : 0),
    row: isLast ? "" : rows.at(-1)!["rowId"]!
  } satisfies RotationPlace
})

/** Secrets that are not sealed under this key: under which, and where some of them are. */
const leftOver = (sql: SqlClient.SqlClient, keyId: string) =>
  sql.unsafe<{ keyId: string; place: string }>(
    `${sealedTables
      .flatMap(({ table, id, columns }) =>
        columns.map(
          (column) => `(select split_part(${column}, '.', 2) as "keyId", '${table} ' || ${id} as place from ${table}
            where ${column} is not null and split_part(${column}, '.', 2) <> $1 limit $2)`
        )
      )
      .join(" union all ")}`,
    [keyId, rotationNamedMax]
  )

/** Nodes that run, or just started, and seal under another key. Of a version that does not say it is not known. */
const nodesBehind = (sql: SqlClient.SqlClient, keyId: string) =>
  sql<{ node: string }>`select coalesce(n.node, k.node) as node
    from nodes n full join node_secret_keys k on k.node = n.node
    where (n.seen_at > ${sql.literal(query.databaseNow)} - ${nodeLeaseMillis}::bigint
      or (n.node is null and k.at > ${sql.literal(query.databaseNow)} - ${startingNodeMillis}::bigint))
      and coalesce(k.key_ids[1], '') <> ${keyId} order by 1 limit ${rotationNamedMax}`

/** Ends the rotation, or says where the next walk begins, or why it cannot end. */
const finish = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, seal: Seal, place: RotationPlace) {
  yield* sql`select 1 from secret_key for update`
  const behind = yield* nodesBehind(sql, seal.keyId)
  if (behind.length > 0)
    return yield* new RotationRefused({
      sentence: `${place.resealed} secrets are sealed anew under key ${seal.keyId}, but node ${behind.map(({ node }) => node).join(", ")} still seals under another: start every node with the new key first, then call this again`
    })
  const left = yield* leftOver(sql, seal.keyId)
  const foreign = left.filter((one) => !seal.keyIds.includes(one.keyId))
  if (foreign.length > 0)
    return yield* new RotationRefused({
      sentence: `${foreign.map((one) => `${one.place} is sealed under key ${one.keyId}`).join(", ")}, which HUB_SECRET_KEY does not list: add it, then call this again`
    })
  if (left.length > 0 && place.walk >= rotationWalksMax)
    return yield* new RotationRefused({
      sentence: `secrets are not sealed anew after ${place.walk} walks, such as ${left[0]!.place}: was it moved or changed by hand?`
    })
  if (left.length > 0) return { ...start, resealed: place.resealed, walk: place.walk + 1 }
  yield* sql`update secret_key set key_id = ${seal.keyId}, next_key_id = null`
  return undefined
})

/** Refuses where no hub was started to seal under this key: others could not open what is sealed anew. */
const begin = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, seal: Seal) {
  if (seal.keyIds.length === 1)
    return yield* new RotationRefused({
      sentence: `HUB_SECRET_KEY of this hub lists one key (${seal.keyId}): start the hub with the new key before the old one, a comma between`
    })
  const behind = yield* sql<{ keyId: string }>`select coalesce(next_key_id, key_id) as "keyId" from secret_key
    where coalesce(next_key_id, key_id) <> ${seal.keyId}`
  if (behind[0] !== undefined)
    return yield* new RotationRefused({
      sentence: `no hub has been started with ${seal.keyId} as the first key of HUB_SECRET_KEY (it is ${behind[0].keyId}): start each with the new key before the old one, a comma between`
    })
})

const make = (settings: Settings) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const clock = yield* Clock.Clock
    const step = Effect.fnUntraced(function* (from: RotationPlace | undefined) {
      const seal = makeSeal((yield* withSecretKey(settings)).secretKey)
      if (from === undefined) yield* begin(sql, seal)
      const until = monotonicMillis(clock) + adminRemovalMillisMax
      let place = from ?? start
      while (place.table < sealedTables.length && monotonicMillis(clock) < until)
        place = yield* resealSome(sql, seal, place)
      const next = place.table < sealedTables.length ? place : yield* sql.withTransaction(finish(sql, seal, place))
      const olderKeyIds = seal.keyIds.slice(1)
      return { keyId: seal.keyId, olderKeyIds, resealed: place.resealed, next } satisfies RotationStep
    })
    return SecretRotation.of({ step: (from) => query.attempt("seal secrets anew", step(from)) })
  })

/** The rotation of the secret key. */
export class SecretRotation extends Context.Service<
  SecretRotation,
  {
    /** Goes on from a place, for two seconds at most; undefined: from the beginning. */
    readonly step: (
      from: RotationPlace | undefined
    ) => Effect.Effect<RotationStep, RotationRefused | SecretKeyUnusable | StoreFailed>
  }
>()("hub/SecretRotation") {
  /** With the keys of these settings; those of the data folder are read when they are needed. */
  static readonly layer = (settings: Settings): Layer.Layer<SecretRotation, never, SqlClient.SqlClient> =>
    Layer.effect(SecretRotation, make(settings))
}
