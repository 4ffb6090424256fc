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
import { useStore } from "../../support/store-services.ts"

describe("the key of a database", () => {
  const { run, using } = useStore(Accounts.layer)
  const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const checked = (secretKey: Uint8Array) =>
    Effect.exit(
      Effect.provide(checkSecretKey, Layer.mergeAll(Config.layer({ ...defaultSettings, secretKey }), NodeId.layer()), {
        local: true
      })
    )
  const sql = using(SqlClient.SqlClient)
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

  it("is told of each node that has it, and of none that is long gone", async () => {
    await sql((client) => client`delete from secret_key`)
    await sql((client) => client`insert into node_secret_keys (node, key_ids, at) values ('gone', '{x}', 1)`)
    const held = async () =>
      (
        await sql((client) => client<{ keys: ReadonlyArray<string> }>`select key_ids as keys from node_secret_keys`)
      ).map(({ keys }) => keys)
    const before = (await held()).length
    const own = [makeSeal(one).keyId]
    await run(checked(one))
    await run(checked(one))
    const after = await held()
    expect(after).toHaveLength(before + 1)
    expect(after.slice(-2)).toEqual([own, own])
    expect(after).not.toContainEqual(["x"])
  })

  it("is named with the one that was given, by fingerprints", async () => {
    await sql((client) => client`delete from secret_key`)
    await run(checked(one))
    const exit = await run(checked(other))
    const sentence = Exit.isFailure(exit) ? String((exit.cause.reasons[0] as { error?: Error }).error?.message) : ""
    expect(sentence).toContain(`sealed under key ${makeSeal(one).keyId}, HUB_SECRET_KEY`)
    expect(sentence).toContain(`is ${makeSeal(other).keyId}`)
  })
})
