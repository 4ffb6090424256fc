/** A rotation of the secret key in the store: what is sealed anew, what is left alone, when it ends and when not. */
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { beforeEach, describe, expect, it } from "vitest"
import { makeSeal, sealedUnder } from "../../../src/auth/secret-box.ts"
import { checkSecretKey } from "../../../src/auth/secret-key-check.ts"
import { type RotationPlace, SecretRotation } from "../../../src/auth/secret-rotation.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import { resealedRowsMax } from "../../../src/limits/secrets.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { Nodes } from "../../../src/store/daemons/nodes.ts"
import { Webhooks } from "../../../src/store/webhooks/webhooks.ts"
import { useStore } from "../../support/store-services.ts"
import { hubClock, turns } from "../../support/virtual-hub-clock.ts"

const [older, newer, third] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array
]
const list = (...keys: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat(keys))
const [old, fresh] = [makeSeal(older), makeSeal(newer)]

describe("a rotation of the secret key", () => {
  const { run, using, account } = useStore(Layer.mergeAll(Webhooks.layer, Nodes.layer))
  const sql = using(SqlClient.SqlClient)
  const started = (secretKey: Uint8Array, node?: string, clock: Layer.Layer<never> = Layer.empty) => {
    const id = node === undefined ? NodeId.layer() : Layer.succeed(NodeId, node)
    const layer = Layer.mergeAll(Config.layer({ ...defaultSettings, secretKey }), id, clock)
    return run(Effect.exit(Effect.provide(checkSecretKey, layer, { local: true })))
  }
  const sentenceOf = (exit: Exit.Exit<unknown, unknown>): string =>
    Exit.isFailure(exit) ? String((exit.cause.reasons[0] as { error?: { message?: string } }).error?.message) : ""
  /** One step. */
  const step = (secretKey: Uint8Array, from?: RotationPlace) =>
    run(
      Effect.exit(
        Effect.provide(
          Effect.flatMap(SecretRotation, (rotation) => rotation.step(from)),
          SecretRotation.layer({ ...defaultSettings, secretKey }),
          { local: true }
        )
      )
    )
  const rotated = async (secretKey: Uint8Array) => {
    for (let from: RotationPlace | undefined; ; ) {
      const exit = await step(secretKey, from)
      if (!Exit.isSuccess(exit)) throw new Error(sentenceOf(exit))
      if (exit.value.next === undefined) return exit.value
      from = exit.value.next
    }
  }
  const webhooks = async (ids: ReadonlyArray<string>, seal = old): Promise<void> => {
    const owner = await account()
    await sql((client) =>
      client.unsafe(
        `insert into webhooks (id, account_id, url, events, active, secret, old_secret, old_secret_until, created_at, updated_at)
         select t.id, $1, 'u', '{*}', true, t.secret, t.old, 5, 1, 1
         from unnest($2::text[], $3::text[], $4::text[]) as t (id, secret, old)`,
        [owner, ids, ids.map((id) => seal.seal(`secret ${id}`, id)), ids.map((id) => seal.seal(`old ${id}`, id))]
      )
    )
  }
  /** A node that runs for as long as the test does: its heartbeat counts by the database's clock, which goes on. */
  const runs = async (node: string) => {
    await run(Effect.flatMap(Nodes, (nodes) => nodes.beat(node, true)))
    await sql((client) => client`update nodes set seen_at = seen_at + 3600000 where node = ${node}`)
  }
  const secrets = () =>
    sql(
      (client) =>
        client<{ id: string; secret: string; old: string | null }>`select id, secret, old_secret as old from webhooks`
    )
  const stored = () =>
    sql(
      (client) =>
        client<{ now: string; next: string | null }>`select key_id as now, next_key_id as next from secret_key`
    )

  beforeEach(async () => {
    await sql((client) =>
      Effect.gen(function* () {
        for (const table of ["webhooks", "signing_keys", "push_keys", "secret_key", "node_secret_keys", "nodes"])
          yield* client.unsafe(`delete from ${table}`)
      })
    )
    expect(Exit.isSuccess(await started(older, "first"))).toBe(true)
  })

  it("seals every secret anew, in batches, and then the old key is no longer needed", async () => {
    const ids = Array.from({ length: 2 * resealedRowsMax + 1 }, (_, at) => `whk_${at}`)
    await webhooks(ids)
    const signing = old.seal("{}", "signing key kid")
    await sql((client) => client`insert into signing_keys (kid, sealed, created_at) values ('kid', ${signing}, 1)`)
    const push = old.seal("d", "push key 1")
    await sql((client) => client`insert into push_keys (id, public_key, sealed) values ('1', 'p', ${push})`)
    expect(Exit.isSuccess(await started(list(newer, older), "first"))).toBe(true)
    expect(await stored()).toEqual([{ now: old.keyId, next: fresh.keyId }])

    expect(await rotated(list(newer, older))).toEqual({
      keyId: fresh.keyId,
      olderKeyIds: [old.keyId],
      resealed: 2 * ids.length + 2,
      next: undefined
    })
    for (const { id, secret, old: before } of await secrets()) {
      expect(fresh.open(secret, id)).toBe(`secret ${id}`)
      expect(fresh.open(before!, id)).toBe(`old ${id}`)
    }
    const [key] = await sql((client) => client<{ sealed: string }>`select sealed from signing_keys`)
    expect(fresh.open(key!.sealed, "signing key kid")).toBe("{}")
    const [pair] = await sql((client) => client<{ sealed: string }>`select sealed from push_keys`)
    expect(fresh.open(pair!.sealed, "push key 1")).toBe("d")
    expect(await stored()).toEqual([{ now: fresh.keyId, next: null }])
    expect(Exit.isSuccess(await started(newer))).toBe(true)
    expect(sentenceOf(await started(older))).toContain(`sealed under key ${fresh.keyId}`)
  })

  it("goes on where it was killed: what is sealed anew already is not touched", async () => {
    const ids = Array.from({ length: 10 }, (_, at) => `whk_${at}`)
    await webhooks(ids.slice(0, 5))
    await webhooks(ids.slice(5), fresh)
    const before = new Map((await secrets()).map(({ id, secret }) => [id, secret]))
    await started(list(newer, older), "first")
    expect((await rotated(list(newer, older))).resealed).toBe(10)
    for (const { id, secret } of await secrets())
      expect(secret === before.get(id), id).toBe(sealedUnder(before.get(id)!) === fresh.keyId)
  })

  it("loses no secret that is replaced at the same time", async () => {
    const ids = Array.from({ length: resealedRowsMax }, (_, at) => `whk_${at}`)
    await webhooks(ids)
    await started(list(newer, older), "first")
    const [{ owner } = { owner: "" }] = await sql(
      (client) => client<{ owner: string }>`select distinct account_id as owner from webhooks`
    )
    const replaced = ids.filter((_, at) => at % 3 === 0)
    const replace = (id: string) =>
      run(Effect.flatMap(Webhooks, (store) => store.rotate(owner, id, fresh.seal(`replaced ${id}`, id), 9, 9)))
    await Promise.all([rotated(list(newer, older)), ...replaced.map(replace)])
    for (const { id, secret, old: before } of await secrets()) {
      const changed = replaced.includes(id)
      expect(fresh.open(secret, id)).toBe(changed ? `replaced ${id}` : `secret ${id}`)
      expect(fresh.open(before!, id)).toBe(changed ? `secret ${id}` : `old ${id}`)
    }
  })

  it("does not end while a node that runs seals under the old key, and names it", async () => {
    await webhooks(["whk_1"])
    await runs("second")
    expect(Exit.isSuccess(await started(list(older, newer), "second"))).toBe(true)
    expect(Exit.isSuccess(await started(list(newer, older), "first"))).toBe(true)
    await expect(rotated(list(newer, older))).rejects.toThrow("node second still seals under another")
    expect(await stored()).toEqual([{ now: old.keyId, next: fresh.keyId }])
    await started(list(newer, older), "second")
    expect((await rotated(list(newer, older))).resealed).toBe(0)
  })

  it("does not end while a secret is sealed under a key that is not listed", async () => {
    await webhooks(["whk_1"], makeSeal(third))
    await started(list(newer, older), "first")
    await expect(rotated(list(newer, older))).rejects.toThrow(
      `webhooks whk_1 is sealed under key ${makeSeal(third).keyId}, which HUB_SECRET_KEY does not list`
    )
  })

  it("gives up on a secret that was moved by hand", async () => {
    await webhooks(["whk_1"])
    await sql((client) => client`update webhooks set id = 'whk_2'`)
    await started(list(newer, older), "first")
    await expect(rotated(list(newer, older))).rejects.toThrow("after 3 walks, such as webhooks whk_2")
  })

  it("does not begin with one key, nor before a hub was started with the new one first", async () => {
    expect(sentenceOf(await step(older))).toContain("lists one key")
    expect(sentenceOf(await step(list(newer, older)))).toContain("no hub has been started")
  })

  it("lets no node start that lacks one of the two keys, or brings a third", async () => {
    await started(list(newer, older), "first")
    expect(sentenceOf(await started(older))).toContain(`sealed under key ${fresh.keyId}`)
    expect(sentenceOf(await started(newer))).toContain(`sealed under key ${old.keyId}`)
    expect(sentenceOf(await started(list(third, newer, older)))).toContain("finish that first (hub secret rotate)")
    expect(Exit.isSuccess(await started(list(older, newer)))).toBe(true)
  })

  it("lets no node seal under a key that another, which runs, does not hold", async () => {
    await runs("second")
    await started(older, "second")
    const clock = hubClock(0)
    let isOver = false
    const refused = started(list(newer, older), "first", clock.layer).finally(() => {
      isOver = true
    })
    // it is looked for as long as a node that was killed would count as running
    while (!isOver) {
      await stored()
      await clock.advance(800, () => turns())
    }
    expect(sentenceOf(await refused)).toContain("which node second does not hold")
  })
})
