/**
 * Under which key a database's secrets are sealed: the first node decides, and a node with another key does not start.
 */
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { makeSeal } from "../../../src/auth/secret-box.ts"
import { checkSecretKey } from "../../../src/auth/secret-key-check.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { Accounts } from "../../../src/store/accounts/accounts.ts"
import { statements } from "../../../src/store/migrations/0012_store_checks.ts"
import { useStore } from "../../support/store-services.ts"

describe("the key of a database", () => {
  const { run } = useStore(Accounts.layer)
  const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const checked = (secretKey: Uint8Array) =>
    Effect.exit(
      Effect.provide(checkSecretKey, Layer.mergeAll(Config.layer({ ...defaultSettings, secretKey }), NodeId.layer()), {
        local: true
      })
    )
  const sql = <A>(work: (client: SqlClient.SqlClient) => Effect.Effect<A, unknown>) =>
    run(Effect.orDie(Effect.flatMap(SqlClient.SqlClient, work)))
  const differs = (exit: Exit.Exit<unknown, unknown>) =>
    Exit.isFailure(exit) && JSON.stringify(exit.cause).includes("SecretKeyDiffers")

  it("is that of the first of two nodes that start together, and the other is refused", async () => {
    await sql((client) => client`delete from secret_key`)
    const both = await run(Effect.all([checked(one), checked(other)], { concurrency: 2 }))
    expect(both.filter(Exit.isSuccess)).toHaveLength(1)
    expect(both.filter(differs)).toHaveLength(1)
    const [winner, loser] = Exit.isSuccess(both[0]!) ? [one, other] : [other, one]
    expect(Exit.isSuccess(await run(checked(winner)))).toBe(true)
    expect(differs(await run(checked(loser)))).toBe(true)
  })

  it("is named with the one that was given, by fingerprints", async () => {
    await sql((client) => client`delete from secret_key`)
    await run(checked(one))
    const exit = await run(checked(other))
    const sentence = Exit.isFailure(exit) ? String((exit.cause.reasons[0] as { error?: Error }).error?.message) : ""
    expect(sentence).toContain(`sealed under key ${makeSeal(one).keyId}, HUB_SECRET_KEY`)
    expect(sentence).toContain(`is ${makeSeal(other).keyId}`)
  })

  it("is known of a database that holds secrets from before it was written down: of signing keys, else of most webhooks", async () => {
    const known = async (): Promise<string | undefined> => {
      await sql((client) =>
        Effect.gen(function* () {
          for (const table of ["secret_key", "store_probe"]) yield* client.unsafe(`drop table ${table}`).unprepared
          for (const statement of statements) yield* client.unsafe(statement).unprepared
          yield* client.unsafe("alter table secret_key add column next_key_id text").unprepared
        })
      )
      const rows = await sql((client) => client<{ id: string }>`select key_id as id from secret_key`)
      return rows[0]?.id
    }
    const webhook = (id: string, key: Uint8Array) =>
      sql(
        (client) => client`insert into webhooks (id, account_id, url, events, active, secret, created_at, updated_at)
          values (${id}, 'a', 'u', ${["*"]}, true, ${makeSeal(key).seal("s", id)}, 1, 1)`
      )
    expect(await known()).toBeUndefined()
    await webhook("w1", other)
    await webhook("w2", one)
    await webhook("w3", other)
    expect(await known()).toBe(makeSeal(other).keyId)
    const sealed = makeSeal(one).seal("k", "k")
    await sql((client) => client`insert into signing_keys (kid, sealed, created_at) values ('k', ${sealed}, 1)`)
    expect(await known()).toBe(makeSeal(one).keyId)
  })
})
