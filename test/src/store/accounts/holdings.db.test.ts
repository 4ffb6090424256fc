/**
 * What an account may hold by its plan, in the store: exact however many ask at once, and nothing grows by taking
 * turns.
 */
import { createHash } from "node:crypto"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { type Plan, planLimits } from "../../../../src/domain/account/plans.ts"
import { newId } from "../../../../src/domain/ids.ts"
import type { ApiKeyLimitReached, DaemonLimitReached } from "../../../../src/errors.ts"
import { tokensPerDaemonMax, tokenTombstonesMax } from "../../../../src/limits/store.ts"
import { removeSome } from "../../../../src/store/accounts/account-removal.ts"
import { Accounts } from "../../../../src/store/accounts/accounts.ts"
import { Keys } from "../../../../src/store/accounts/api-keys.ts"
import { countHoldings } from "../../../../src/store/accounts/holdings.ts"
import { Daemons } from "../../../../src/store/daemons/daemons.ts"
import { fc, forAllAsync } from "../../../support/properties.ts"
import { useStore } from "../../../support/store-services.ts"

const limit = planLimits.free.daemons
const keyLimit = planLimits.free.apiKeys
const times = <A>(count: number, make: (nth: number) => Promise<A>) =>
  Promise.all(Array.from({ length: count }, (_, nth) => make(nth)))

describe("what an account may hold by its plan", () => {
  const store = useStore(Layer.mergeAll(Daemons.layer, Keys.layer))
  const newHash = (): string => createHash("sha256").update(newId("key")).digest("hex")
  const setPlan = (id: string, plan: Plan) => store.run(Effect.flatMap(Accounts, (all) => all.setPlan(id, plan)))
  const free = async (): Promise<string> => {
    const id = await store.account()
    await setPlan(id, "free")
    return id
  }
  let now = 0
  const enrol = (accountId: string, daemonId?: string) => {
    const given = { accountId, daemonId, tokenHash: newHash(), name: "", now: ++now }
    return store.run(Effect.result(Effect.flatMap(Daemons, (daemons) => daemons.enrol(given))))
  }
  const enrolled = async (accountId: string, daemonId?: string) =>
    Result.getOrThrow(await enrol(accountId, daemonId)) as string
  const revoke = (accountId: string, id: string) =>
    store.run(Effect.flatMap(Daemons, (daemons) => daemons.revoke(accountId, id)))
  const remove = (accountId: string, id: string) =>
    store.run(Effect.flatMap(Daemons, (daemons) => daemons.remove(accountId, id)))
  const mint = (accountId: string, more: { createdAt?: number; expiresAt?: number } = {}) => {
    const draft = { accountId, name: "", prefix: "", scopes: [], hash: newHash(), createdAt: ++now, expiresAt: null }
    const id = newId("key")
    const made = Effect.flatMap(Keys, (keys) => keys.insert({ ...draft, ...more, id }))
    return store.run(Effect.result(Effect.as(made, id)))
  }
  const query = <A extends object>(text: string, accountId: string) =>
    store.run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<A>(text, [accountId])))
  const rows = async (table: string, accountId: string) => {
    const [row] = await query<{ n: number }>(`select count(*) as n from ${table} where account_id = $1`, accountId)
    return row!.n
  }
  const held = (accountId: string, at = now) =>
    store.run(Effect.flatMap(SqlClient.SqlClient, (sql) => countHoldings(sql, accountId, at)))
  const refusals = <A, E extends DaemonLimitReached | ApiKeyLimitReached>(
    all: ReadonlyArray<Result.Result<A, E | { _tag: "StoreFailed" }>>
  ) =>
    all.flatMap((one) =>
      Result.isFailure(one) ? [{ ...(one.failure as E), _tag: (one.failure as E)._tag as string }] : []
    )

  it("is that many daemons, however many are enrolled at once, and the refusal names limit and plan", async () => {
    const accountId = await free()
    const refused = refusals(await times(58, () => enrol(accountId)))
    expect(refused).toHaveLength(58 - limit)
    expect(refused[0]).toMatchObject({ _tag: "DaemonLimitReached", limit, plan: "free" })
    expect(new Set(refused.map(({ _tag }) => _tag)).size).toBe(1)
    expect([await rows("daemons", accountId), await rows("daemon_tokens", accountId)]).toEqual([limit, limit])
    expect(await held(accountId)).toEqual({ daemons: limit, apiKeys: 0, webhooks: 0, people: 1, serviceAccounts: 0 })
    expect(Result.isSuccess(await enrol(await free()))).toBe(true)
  })

  it("is that many API keys, however many are minted at once, and the refusal names limit and plan", async () => {
    const accountId = await free()
    const refused = refusals(await times(58, () => mint(accountId)))
    expect(refused).toHaveLength(58 - keyLimit)
    expect(refused[0]).toMatchObject({ _tag: "ApiKeyLimitReached", limit: keyLimit, plan: "free" })
    expect(new Set(refused.map(({ _tag }) => _tag)).size).toBe(1)
    expect(await rows("api_keys", accountId)).toBe(keyLimit)
  })

  it("is a place again for each daemon that is revoked or removed, and one place for however many ask", async () => {
    const accountId = await free()
    const ids = await times(limit, () => enrolled(accountId))
    await revoke(accountId, ids[0]!)
    await revoke(accountId, ids[0]!)
    expect(refusals(await times(5, () => enrol(accountId)))).toHaveLength(4)
    await remove(accountId, ids[1]!)
    await remove(accountId, ids[0]!)
    expect(refusals(await times(5, () => enrol(accountId)))).toHaveLength(4)
  })

  it("lets a daemon that is there renew its token at the limit, and a revoked one come back only to a free place", async () => {
    const accountId = await free()
    const [first, second] = await times(limit, () => enrolled(accountId))
    expect(await enrolled(accountId, first)).toBe(first)
    await revoke(accountId, first!)
    await enrolled(accountId)
    expect(refusals([await enrol(accountId, first)])).toMatchObject([{ _tag: "DaemonLimitReached", limit }])
    await revoke(accountId, second!)
    const came = await times(6, (nth) => enrol(accountId, nth % 2 === 0 ? first : second))
    const back = new Set(came.flatMap((one) => (Result.isSuccess(one) ? [one.success] : [])))
    expect(back.size).toBe(1)
    expect(await held(accountId)).toMatchObject({ daemons: limit })
  })

  it("counts no key that is revoked or has expired", async () => {
    const accountId = await free()
    const at = 1_000_000
    const made = await times(keyLimit, (nth) =>
      mint(accountId, { createdAt: at, ...(nth < 3 && { expiresAt: at + 10 }) })
    )
    await store.run(Effect.flatMap(Keys, (keys) => keys.revoke(accountId, Result.getOrThrow(made[5]!), at)))
    expect(await held(accountId, at + 9)).toMatchObject({ apiKeys: keyLimit - 1 })
    expect(await held(accountId, at + 10)).toMatchObject({ apiKeys: keyLimit - 4 })
    expect(refusals(await times(6, () => mint(accountId, { createdAt: at + 10 })))).toHaveLength(2)
  })

  it("leaves what there is when the plan becomes smaller, and refuses more", async () => {
    const accountId = await store.account()
    await times(limit + 5, () => enrolled(accountId))
    await times(keyLimit + 5, () => mint(accountId))
    await setPlan(accountId, "free")
    expect(refusals([await enrol(accountId)])).toMatchObject([{ limit, plan: "free" }])
    expect(refusals([await mint(accountId)])).toMatchObject([{ limit: keyLimit, plan: "free" }])
    expect(await held(accountId)).toEqual({
      daemons: limit + 5,
      apiKeys: keyLimit + 5,
      webhooks: 0,
      people: 1,
      serviceAccounts: 0
    })
  })

  it("makes no rows without end by enrolling and revoking, nor by minting and revoking, nor by renewing a token", async () => {
    const accountId = await free()
    let daemonId = ""
    for (let nth = 0; nth < limit * 3; nth++) {
      daemonId = await enrolled(accountId)
      await revoke(accountId, daemonId)
      const key = Result.getOrThrow(await mint(accountId))
      await store.run(Effect.flatMap(Keys, (keys) => keys.revoke(accountId, key, now)))
    }
    expect(await rows("daemons", accountId)).toBeLessThanOrEqual(limit + 1)
    expect(await rows("api_keys", accountId)).toBeLessThanOrEqual(keyLimit + 1)
    for (let nth = 0; nth < (tokensPerDaemonMax + tokenTombstonesMax) * 2; nth++) await enrolled(accountId, daemonId)
    const all = await query(
      `select 1 from daemon_tokens where account_id = $1 and daemon_id = '${daemonId}'`,
      accountId
    )
    expect(all.length).toBeLessThanOrEqual(tokensPerDaemonMax + tokenTombstonesMax)
    expect(await held(accountId)).toMatchObject({ daemons: 1 })
  })

  it("is counted right after any calls in any order, at once or in turn, and never passes the limit", async () => {
    const call = fc.record({ at: fc.nat(8), does: fc.constantFrom("enrol", "renew", "revoke", "remove", "other plan") })
    const rounds = fc.array(fc.array(call, { maxLength: 12 }), { maxLength: 4 })
    await forAllAsync(15, rounds, async (all) => {
      const accountId = await free()
      const ids = [...(await times(limit - 3, () => enrolled(accountId)))]
      for (const round of all) {
        await Promise.all(
          round.map(async ({ at, does }) => {
            if (does === "revoke") await revoke(accountId, ids[at]!)
            else if (does === "remove") await remove(accountId, ids[at]!)
            else if (does === "other plan") await setPlan(accountId, "free")
            else {
              const one = await enrol(accountId, does === "renew" ? ids[at]! : undefined)
              expect(Result.isSuccess(one) || one.failure._tag === "DaemonLimitReached").toBe(true)
              if (Result.isSuccess(one) && one.success !== undefined) ids.push(one.success)
            }
          })
        )
        const there = "select count(*) as n from daemons where account_id = $1 and not revoked"
        const [row] = await query<{ n: number }>(there, accountId)
        expect(await held(accountId)).toMatchObject({ daemons: row!.n })
        expect(row!.n).toBeLessThanOrEqual(limit)
      }
    })
  })

  it("goes with the account, in steps, also while daemons are enrolled and revoked", async () => {
    const accountId = await store.account()
    const ids = await times(30, () => enrolled(accountId))
    const going = times(10, (nth) => revoke(accountId, ids[nth]!))
    const coming = times(10, (nth) => enrol(accountId, ids[nth]!))
    while (!(await store.run(removeSome(accountId)))) await going
    await coming
    expect(await rows("daemons", accountId)).toBe(0)
    expect(await held(accountId)).toBeUndefined()
  })
})
