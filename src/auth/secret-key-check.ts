/**
 * Checks at its start that a node holds the keys that the secrets of its database are sealed under, and that the nodes
 * that run hold the one that it seals with. Owns the comparison of the keys' fingerprints; the first node of a database
 * decides which key that is. secret-rotation.ts moves it.
 */
import { Data, Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { Config } from "../config.ts"
import { SecretKeyDiffers, type StoreFailed } from "../errors.ts"
import { nodeLeaseMillis } from "../limits/nodes.ts"
import { NodeId } from "../runtime/node-id.ts"
import * as query from "../store/sql/query.ts"
import { makeSeal } from "./secret-box.ts"

/** This node would seal under a key that others do not hold. */
class SecretKeyUnshared extends Data.TaggedError("SecretKeyUnshared")<{ readonly sentence: string }> {
  override get message(): string {
    return this.sentence
  }
}

interface KeyRow {
  readonly keyId: string
  readonly nextKeyId: string | null
}

/** How often it is looked whether nodes without the key are gone. A killed one counts until its lease has ended. */
const lookMillis = 500
const looksMax = nodeLeaseMillis / lookMillis + 1

const others = (sql: SqlClient.SqlClient, node: string, keyId: string) =>
  sql<{ node: string }>`select n.node from nodes n left join node_secret_keys k on k.node = n.node
    where n.node <> ${node} and n.seen_at > ${sql.literal(query.databaseNow)} - ${nodeLeaseMillis}::bigint
      and not coalesce(${keyId} = any(k.key_ids), false) order by n.node limit 1`

const compare = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, node: string, keyIds: ReadonlyArray<string>) {
  const given = keyIds[0]!
  yield* sql`insert into secret_key (id, key_id) values (1, ${given}) on conflict (id) do nothing`
  const [row] = yield* sql<KeyRow>`select key_id as "keyId", next_key_id as "nextKeyId" from secret_key for update`
  const { keyId, nextKeyId } = row ?? { keyId: given, nextKeyId: null }
  const lacked = [keyId, nextKeyId].find((one) => one !== null && !keyIds.includes(one))
  if (lacked !== undefined) return yield* new SecretKeyDiffers({ found: lacked!, given: keyIds.join(", ") })
  if (given !== keyId) {
    if (nextKeyId !== null && nextKeyId !== given)
      return yield* new SecretKeyUnshared({
        sentence: `the secrets are being sealed anew under key ${nextKeyId}, and HUB_SECRET_KEY begins with ${given}: finish that first (hub secret rotate)`
      })
    const [without] = yield* others(sql, node, given)
    if (without !== undefined)
      return yield* new SecretKeyUnshared({
        sentence: `HUB_SECRET_KEY begins with key ${given}, which node ${without.node} does not hold: start every node with the new key behind the old one first`
      })
    yield* sql`update secret_key set next_key_id = ${given}`
  }
  yield* sql`insert into node_secret_keys (node, key_ids, at) values (${node}, ${keyIds}, ${sql.literal(query.databaseNow)})
    on conflict (node) do update set key_ids = excluded.key_ids, at = excluded.at`
})

/**
 * The usual start in one statement: the key is the one of the database, and none is about to follow it. Rows of nodes
 * that are gone go with it. False: not so, and nothing is said of this node. (Six statements are 20 ms of a start,
 * `./hub bench start`.)
 */
const isUsual = (sql: SqlClient.SqlClient, node: string, keyIds: ReadonlyArray<string>) =>
  Effect.map(
    sql<{ node: string }>`with gone as (
        delete from node_secret_keys k where node <> ${node} and at < ${sql.literal(query.databaseNow)} - 86400000::bigint
          and not exists (select 1 from nodes n where n.node = k.node)
      ), kept as (select key_id, next_key_id from secret_key for update)
      insert into node_secret_keys (node, key_ids, at) select ${node}, ${keyIds}::text[], ${sql.literal(query.databaseNow)}
        from kept where key_id = ${keyIds[0]!} and next_key_id is null
      on conflict (node) do update set key_ids = excluded.key_ids, at = excluded.at returning node`,
    (rows) => rows.length > 0
  )

/**
 * Fails when this node could not open sealed secrets, or others not what it seals. Of two concurrent first nodes one
 * decides, and the other is compared with it.
 */
export const checkSecretKey: Effect.Effect<
  void,
  SecretKeyDiffers | SecretKeyUnshared | StoreFailed,
  Config | NodeId | SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { secretKey } = yield* Config
  const node = yield* NodeId
  const { keyIds } = makeSeal(secretKey)
  yield* query
    .attempt(
      "compare HUB_SECRET_KEY with the one before",
      Effect.flatMap(isUsual(sql, node, keyIds), (usual) =>
        usual ? Effect.void : sql.withTransaction(compare(sql, node, keyIds))
      )
    )
    .pipe(
      Effect.retry({
        while: ({ _tag }) => _tag === "SecretKeyUnshared",
        schedule: Schedule.spaced(lookMillis),
        times: looksMax
      })
    )
})

/** This node ends: the keys that it held bind no rotation any more. Where the store is away, its lease ends instead. */
export const releaseSecretKey: Effect.Effect<void, never, NodeId | SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.ignore(sql`delete from node_secret_keys where node = ${yield* NodeId}`)
})
