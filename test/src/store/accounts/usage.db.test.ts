/** Calls of a month, and the blocks that nodes hold of them: used and held never exceed the limit. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import { type LeaseAsk, Usage } from "../../../../src/store/accounts/usage.ts"
import { fc, forAllAsync } from "../../../support/properties.ts"
import { useStore } from "../../../support/store-services.ts"

const month = "2026-01"
/** Far longer than any run of these tests; over as soon as it begins. */
const long = 3_600_000
const over = -1

describe("usage in the store", () => {
  const store = useStore(Usage.layer)
  const usage = store.using(Usage)
  const asked = (accountId: string, nodeId: string, extra: Partial<LeaseAsk> = {}): LeaseAsk => ({
    nodeId,
    accountId,
    month,
    limit: 1_000,
    blockMax: 200,
    blockShare: 20,
    leaseMillis: long,
    ...extra
  })
  const lease = (accountId: string, nodeId: string, extra: Partial<LeaseAsk> = {}) =>
    usage((port) => port.lease(asked(accountId, nodeId, extra)))
  const settle = (nodeId: string, accountId: string, used: number, givenBack = 0, leaseMillis = long) =>
    usage((port) => port.settle({ nodeId, leaseMillis, rows: [{ accountId, month, used, givenBack }] }))

  it("grants a share of what is free, at most the bound", async () => {
    const accountId = newId("account")
    expect(await lease(accountId, "a")).toEqual({ granted: 50, used: 0, heldElsewhere: 0 })
    expect(await lease(accountId, "b")).toEqual({ granted: 47, used: 0, heldElsewhere: 50 })
    expect(await lease(newId("account"), "a", { limit: 1_000_000 })).toMatchObject({ granted: 200 })
  })

  it("grants single calls near the limit, and none past it", async () => {
    const accountId = newId("account")
    const answers = []
    for (let times = 0; times < 4; times++) answers.push(await lease(accountId, "a", { limit: 3 }))
    expect(answers.map(({ granted }) => granted)).toEqual([1, 1, 1, 0])
    expect(answers.at(-1)).toEqual({ granted: 0, used: 0, heldElsewhere: 0 })
  })

  it("counts what was served, and lets others have what was given back", async () => {
    const accountId = newId("account")
    await lease(accountId, "a", { limit: 10, blockShare: 1 })
    expect(await lease(accountId, "b", { limit: 10 })).toEqual({ granted: 0, used: 0, heldElsewhere: 10 })
    expect(await settle("a", accountId, 4, 6)).toEqual([{ accountId, month, used: 4, held: 0 }])
    expect(await lease(accountId, "b", { limit: 10, blockShare: 1 })).toEqual({ granted: 6, used: 4, heldElsewhere: 0 })
    expect(await usage((port) => port.used(accountId, month))).toBe(4)
  })

  it("takes refunds back off the count, into the block they came from", async () => {
    const accountId = newId("account")
    await lease(accountId, "a", { limit: 10, blockShare: 1 })
    await settle("a", accountId, 5)
    expect(await settle("a", accountId, -2)).toMatchObject([{ used: 3, held: 7 }])
    expect(await lease(accountId, "b", { limit: 10 })).toEqual({ granted: 0, used: 3, heldElsewhere: 7 })
  })

  it("takes back the block of a node that does not renew it, once another needs it", async () => {
    const accountId = newId("account")
    await lease(accountId, "dead", { limit: 10, blockShare: 1 })
    const whole = { limit: 10, blockShare: 1 }
    expect(await lease(accountId, "b", whole)).toMatchObject({ granted: 0, heldElsewhere: 10 })
    await settle("dead", accountId, 0, 0, over)
    expect(await lease(accountId, "b", whole)).toEqual({ granted: 10, used: 0, heldElsewhere: 0 })
  })

  it("tells a node that settles too late that its block is gone, and counts what it served all the same", async () => {
    const accountId = newId("account")
    await lease(accountId, "slow", { limit: 10, blockShare: 1, leaseMillis: over })
    expect(await usage((port) => port.expire)).toBeGreaterThan(0)
    expect(await settle("slow", accountId, 3)).toEqual([{ accountId, month, used: 3, held: null }])
    expect(await lease(accountId, "b", { limit: 10, blockShare: 1 })).toEqual({ granted: 7, used: 3, heldElsewhere: 0 })
  })

  it("keeps a block that was renewed", async () => {
    await usage((port) => port.expire)
    const accountId = newId("account")
    await lease(accountId, "a", { limit: 10, blockShare: 1, leaseMillis: over })
    await settle("a", accountId, 1)
    expect(await usage((port) => port.expire)).toBe(0)
    expect(await lease(accountId, "b", { limit: 10 })).toMatchObject({ granted: 0 })
  })

  it("counts an account without a limit, and holds nothing for it", async () => {
    const accountId = newId("account")
    const ask = { limit: Number.POSITIVE_INFINITY }
    expect(await lease(accountId, "a", ask)).toEqual({ granted: 200, used: 0, heldElsewhere: 0 })
    expect(await settle("a", accountId, 70)).toEqual([{ accountId, month, used: 70, held: null }])
    expect(await lease(accountId, "b", ask)).toMatchObject({ used: 70, heldElsewhere: 0 })
  })

  it("writes many accounts and months in one statement, each by itself", async () => {
    const accounts = Array.from({ length: 30 }, () => newId("account"))
    const rows = accounts.flatMap((accountId, at) => [
      { accountId, month, used: at, givenBack: 0 },
      { accountId, month: "2026-02", used: 1, givenBack: 0 }
    ])
    const settled = await usage((port) => port.settle({ nodeId: "a", leaseMillis: long, rows }))
    expect(settled).toHaveLength(60)
    expect(await usage((port) => port.used(accounts[7]!, month))).toBe(7)
    expect(await usage((port) => port.used(accounts[7]!, "2026-02"))).toBe(1)
    expect(await usage((port) => port.settle({ nodeId: "a", leaseMillis: long, rows: [] }))).toEqual([])
  })

  it("serves exactly the limit however many nodes lease, serve and give back at once", async () => {
    const limit = 60
    const nodeRun = (port: Usage["Service"], accountId: string, nodeId: string, plan: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        let served = 0
        for (const part of plan) {
          const { granted } = yield* port.lease(asked(accountId, nodeId, { limit, blockShare: 3 }))
          const used = Math.floor((granted * part) / 10)
          yield* port.settle({
            nodeId,
            leaseMillis: long,
            rows: [{ accountId, month, used, givenBack: granted - used }]
          })
          served += used
        }
        return served
      })
    const plans = fc.array(fc.array(fc.integer({ min: 0, max: 10 }), { maxLength: 6 }), { minLength: 2, maxLength: 4 })
    await forAllAsync(15, plans, async (nodes) => {
      const accountId = newId("account")
      const served = await usage((port) =>
        Effect.all(
          nodes.map((plan, node) => nodeRun(port, accountId, `n${node}`, plan)),
          { concurrency: "unbounded" }
        )
      )
      const total = served.reduce((sum, one) => sum + one, 0)
      expect(total).toBeLessThanOrEqual(limit)
      expect(await usage((port) => port.used(accountId, month))).toBe(total)
      const rest = await lease(accountId, "last", { limit, blockShare: 1 })
      expect(rest).toEqual({ granted: limit - total, used: total, heldElsewhere: 0 })
    })
  })
})
