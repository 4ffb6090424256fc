/**
 * Checks that this node's HUB_SECRET_KEY is the key that sealed the secrets of its database. Owns the comparison of the
 * keys' fingerprints; the first node of a database decides which key that is.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Config } from "../config.ts"
import { SecretKeyDiffers, type StoreFailed } from "../errors.ts"
import { attempt } from "../store/sql/client.ts"
import { makeSeal } from "./secret-box.ts"

/**
 * Fails when this node could not open sealed secrets. Of two concurrent first nodes one decides, and the other is
 * compared with it.
 */
export const checkSecretKey: Effect.Effect<void, SecretKeyDiffers | StoreFailed, Config | SqlClient.SqlClient> =
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { secretKey } = yield* Config
    const given = makeSeal(secretKey).keyId
    const rows = yield* attempt(
      "compare HUB_SECRET_KEY with the one before",
      Effect.andThen(
        sql`insert into secret_key (id, key_id) values (1, ${given}) on conflict (id) do nothing`,
        sql<{ keyId: string }>`select key_id as "keyId" from secret_key`
      )
    )
    const found = rows[0]?.keyId ?? given
    if (found !== given) return yield* new SecretKeyDiffers({ found, given })
  })
