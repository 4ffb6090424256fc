/** The rows of devices that wait for a key, in a real database: one approval, one key, whatever comes at once. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { hashCredential, makeKey } from "../../../../src/auth/api-key.ts"
import { planLimits } from "../../../../src/domain/account/plans.ts"
import { newId } from "../../../../src/domain/ids.ts"
import {
  deviceCodesMax,
  deviceCodesPerAddressMax,
  devicePollSeconds,
  devicePollSecondsMax
} from "../../../../src/limits/device-codes.ts"
import { prunedRowsMax } from "../../../../src/limits/store.ts"
import { Keys } from "../../../../src/store/accounts/api-keys.ts"
import { type ApprovedDevice, DeviceCodes } from "../../../../src/store/accounts/device-codes.ts"
import { databaseKind } from "../../../support/database.ts"
import { given } from "../../../support/given.ts"
import { insertMany } from "../../../support/many-rows.ts"
import { useStore } from "../../../support/store-services.ts"
import { until } from "../../../support/until.ts"

describe("devices in the store", () => {
  const store = useStore(DeviceCodes.layer.pipe(Layer.provideMerge(Keys.layer)))
  const devices = store.using(DeviceCodes)
  const { sql } = store
  const request = {
    name: "a laptop",
    address: "192.0.2.1",
    scopes: ["ide:read", "agent:read"],
    createdAt: 1_000,
    expiresAt: 601_000
  } as const
  const added = async (more = {}) => {
    const [hash, userCodeHash] = [hashCredential(makeKey()), hashCredential(makeKey())]
    expect(await devices((port) => port.add(hash, userCodeHash, { ...request, ...more }))).toBe("added")
    return { hash, userCodeHash }
  }
  const draftOf = ({ accountId, name, scopes }: ApprovedDevice) => ({
    id: newId("key"),
    accountId,
    name,
    prefix: "hub_",
    hash: hashCredential(makeKey()),
    scopes,
    createdAt: 2_000,
    expiresAt: null
  })
  const approved = async (accountId: string) => {
    const one = await added()
    const approval = { accountId, personId: null, scopes: ["ide:read"] as const, joinKey: false }
    expect(await devices((port) => port.approve(one.userCodeHash, approval, 2_000))).toBe(true)
    return one
  }
  const keysOf = (accountId: string) => store.run(Effect.flatMap(Keys, (keys) => keys.listByAccount(accountId, 5_000)))

  given(store.account)("get one key for one approval, however many polls come at once", async (accountId) => {
    const { hash } = await approved(accountId)
    const all = await Promise.all(
      Array.from({ length: 10 }, () => devices((port) => port.redeem(hash, 3_000, draftOf)))
    )
    expect(all.filter((one) => one !== undefined)).toHaveLength(1)
    expect(await keysOf(accountId)).toMatchObject([{ name: "a laptop", scopes: ["ide:read"] }])
    expect(await devices((port) => port.poll(hash, 9_000))).toEqual({ state: "unknown" })
  })

  it.skipIf(databaseKind === "embedded")(
    "get none of an account that locks itself first to remove who approved them, and never wait for each other",
    async () => {
      const accountId = await store.account()
      const { hash } = await approved(accountId)
      const waits = () =>
        sql("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
      const removing = (client: SqlClient.SqlClient) =>
        Effect.gen(function* () {
          yield* client`select 1 from accounts where id = ${accountId} for no key update`
          const redeemed = devices((port) => port.redeem(hash, 3_000, draftOf))
          yield* Effect.promise(() => until("it waits for the account", async () => (await waits()).length > 0))
          yield* client`delete from device_codes where account_id = ${accountId}`
          return { redeemed }
        })
      const { redeemed } = await store.using(SqlClient.SqlClient)((client) => client.withTransaction(removing(client)))
      expect(await redeemed).toBeUndefined()
      expect(await keysOf(accountId)).toEqual([])
    }
  )

  it("are decided on once: a second approval, by whichever account, and a late denial change nothing", async () => {
    const [accountId, other] = [await store.account(), await store.account()]
    const { hash, userCodeHash } = await approved(accountId)
    const approval = { accountId: other, personId: null, scopes: ["ide:read"] as const, joinKey: true }
    expect(await devices((port) => port.approve(userCodeHash, approval, 2_000))).toBe(false)
    expect(await devices((port) => port.deny(userCodeHash, 2_000))).toBe(false)
    expect(await devices((port) => port.waiting(userCodeHash, 2_000))).toBeUndefined()
    await devices((port) => port.redeem(hash, 3_000, draftOf))
    expect([await keysOf(accountId), await keysOf(other)].map(({ length }) => length)).toEqual([1, 0])
  })

  it("get none before an approval, after a denial, when their time is over, or of a disabled account", async () => {
    const accountId = await store.account()
    const redeem = (hash: string, now: number) => devices((port) => port.redeem(hash, now, draftOf))
    const pending = await added()
    expect(await redeem(pending.hash, 2_000)).toBeUndefined()
    await devices((port) => port.deny(pending.userCodeHash, 2_000))
    expect(await devices((port) => port.poll(pending.hash, 2_000))).toEqual({ state: "denied" })
    expect(await redeem(pending.hash, 2_000)).toBeUndefined()
    const late = await approved(accountId)
    expect(await redeem(late.hash, request.expiresAt)).toBeUndefined()
    expect(await devices((port) => port.poll(late.hash, request.expiresAt))).toEqual({ state: "unknown" })
    const disabled = await approved(accountId)
    await sql(`update accounts set disabled = true where id = '${accountId}'`)
    expect(await redeem(disabled.hash, 3_000)).toBeUndefined()
    expect(await keysOf(accountId)).toEqual([])
  })

  given(store.account)("wait on where the plan has no room for a key, and get it once there is", async (accountId) => {
    await store.run(
      insertMany(
        planLimits.pro.apiKeys,
        `insert into api_keys (id, account_id, name, prefix, hash, scopes, created_at)
         select 'key_${accountId}' || n, '${accountId}', 'k', 'hub_', sha256(('${accountId}' || n)::bytea), '{}', 0`
      )
    )
    const { hash } = await approved(accountId)
    const refused = await devices((port) => Effect.flip(port.redeem(hash, 3_000, draftOf)))
    expect(refused._tag).toBe("ApiKeyLimitReached")
    await sql(`update api_keys set revoked_at = 1 where id = 'key_${accountId}1'`)
    expect(await devices((port) => port.redeem(hash, 4_000, draftOf))).toMatchObject({ accountId })
  })

  given(added)("poll in their time; sooner they wait longer, up to a bound", async ({ hash }) => {
    const poll = (now: number) => devices((port) => port.poll(hash, now))
    expect(await poll(2_000)).toEqual({ state: "pending", pollSeconds: devicePollSeconds })
    expect(await poll(2_000 + devicePollSeconds * 1_000)).toEqual({ state: "pending", pollSeconds: devicePollSeconds })
    let seconds = 0
    for (let nth = 0; nth < 20; nth++) {
      const polled = await poll(10_000)
      expect(polled.state).toBe("early")
      seconds = "pollSeconds" in polled ? polled.pollSeconds : 0
    }
    expect(seconds).toBe(devicePollSecondsMax)
    expect(await poll(10_000 + devicePollSecondsMax * 1_000)).toEqual({ state: "pending", pollSeconds: seconds })
  })

  given(added)("are told that a person's code is in use", async ({ userCodeHash }) => {
    expect(await devices((port) => port.add(hashCredential("another"), userCodeHash, request))).toBe("taken")
  })

  it(`are ${deviceCodesMax} at a time at most, those whose time is over apart, which are removed`, async () => {
    await sql("delete from device_codes")
    await store.run(
      insertMany(
        deviceCodesMax,
        `insert into device_codes (hash, user_code_hash, name, scopes, state, poll_seconds, created_at, expires_at)
         select sha256(n::text::bytea), sha256(('u' || n)::bytea), '', '{}', 'pending', 5, 0, 5000`
      )
    )
    const one = hashCredential("one more")
    expect(await devices((port) => port.add(one, one, { ...request, createdAt: 4_999 }))).toBe("full")
    expect(await devices((port) => port.add(one, one, { ...request, createdAt: 5_000 }))).toBe("added")
    while ((await devices((port) => port.prune(5_001))) >= prunedRowsMax);
    expect(await sql("select from device_codes")).toHaveLength(1)
  })

  it(`are ${deviceCodesPerAddressMax} at a time of one address at most`, async () => {
    await sql("delete from device_codes")
    for (let at = 0; at < deviceCodesPerAddressMax; at++) await added()
    const one = hashCredential("one more")
    expect(await devices((port) => port.add(one, one, request))).toBe("full")
    expect(await devices((port) => port.add(one, one, { ...request, address: "192.0.2.2" }))).toBe("added")
    await sql("delete from device_codes")
  })
})
