/** The monthly quota on a real database: exact on one node and over nodes, by calendar month, and durable. */
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Quota } from "../../../actors/limits/quota.ts"
import type { Plan } from "../../../src/domain/account/plans.ts"
import { quotaFlushMillis } from "../../../src/limits.ts"
import { toEffect } from "../../../src/runtime/maybe-sync.ts"
import { Usage } from "../../../src/store/accounts/usage.ts"
import { databaseMissing } from "../../support/database.ts"
import { until } from "../../support/until.ts"
import { type GateNode, startGate, type TestGate } from "./guard-services.ts"

describe.skipIf(databaseMissing)("the monthly quota", () => {
  let gate: TestGate
  beforeAll(async () => {
    gate = await startGate()
  })
  afterAll(() => gate.close())

  const take = (node: GateNode, accountId: string, plan: Plan) =>
    node.run(Effect.flatMap(Quota, (quota) => toEffect(quota.take(accountId, plan))))
  const takeMany = (node: GateNode, accountId: string, plan: Plan, calls: number) =>
    node.run(
      Effect.flatMap(Quota, (quota) =>
        Effect.forEach(Array.from({ length: calls }), () => toEffect(quota.take(accountId, plan)), { concurrency: 50 })
      )
    )
  const written = (accountId: string, month = "2026-07") =>
    gate.run(Effect.flatMap(Usage, (usage) => usage.used(accountId, month)))
  /** Moves on until the batch is in the store, which works in real time. */
  const flushed = (accountId: string, calls: number, month?: string) =>
    until(`${calls} calls are written`, async () => {
      await gate.advance(quotaFlushMillis)
      return (await written(accountId, month)) === calls
    })

  /**
   * Moves time on while something runs, far slower than the store answers: each step waits for many of its answers, so
   * that no living node's block runs out merely because virtual time outran real writes.
   */
  const withTime = async (accountId: string, work: Promise<unknown>): Promise<void> => {
    let running = true
    const ended = work.finally(() => {
      running = false
    })
    while (running) {
      for (let answer = 0; answer < 20; answer++) await written(accountId)
      await gate.advance(quotaFlushMillis / 4)
    }
    await ended
  }

  it("serves call N of N and refuses N+1 until the first of next month", async () => {
    const { id } = await gate.account({ plan: "free" })
    const decisions = await takeMany(gate, id, "free", 1_000)
    expect(decisions.every((decision) => decision.admitted)).toBe(true)
    expect(decisions.at(-1)).toMatchObject({ limit: 1_000, policy: "month", month: "2026-07" })
    const refused = await take(gate, id, "free")
    expect(refused).toMatchObject({ admitted: false, remaining: 0, used: 1_000 })
    expect(refused.retryAfter).toBe(Math.ceil((Date.UTC(2026, 7, 1) - gate.clock.now()) / 1_000))
    await flushed(id, 1_000)
  })

  it("answers at once from a block, without asking the store", async () => {
    const { id } = await gate.account({ plan: "pro" })
    await take(gate, id, "pro")
    const atOnce = await gate.run(Effect.map(Quota, (quota) => quota.take(id, "pro")))
    expect(atOnce).toMatchObject({ admitted: true, used: 2, remaining: 49_998 })
  })

  it("serves a call that was given back, and counts it once", async () => {
    const { id } = await gate.account({ plan: "free" })
    await takeMany(gate, id, "free", 1_000)
    expect((await take(gate, id, "free")).admitted).toBe(false)
    await gate.run(Effect.map(Quota, (quota) => quota.refund(id, "2026-07")))
    expect((await take(gate, id, "free")).admitted).toBe(true)
    expect((await take(gate, id, "free")).admitted).toBe(false)
    await flushed(id, 1_000)
  })

  it("gives back to the store what was refunded after it was written", async () => {
    const { id } = await gate.account({ plan: "free" })
    await takeMany(gate, id, "free", 10)
    await flushed(id, 10)
    await gate.run(Effect.map(Quota, (quota) => quota.refund(id, "2026-07")))
    await flushed(id, 9)
  })

  it("is exact over two nodes that call at once", async () => {
    const { id } = await gate.account({ plan: "free" })
    const other = gate.node()
    let admitted = 0
    const call = async (node: GateNode) => {
      for (const decision of await takeMany(node, id, "free", 300)) if (decision.admitted) admitted++
    }
    // A node that finds all calls held waits for what the other gives back.
    await withTime(id, Promise.all([call(gate), call(other), call(gate), call(other)]))
    expect(admitted).toBe(1_000)
    await flushed(id, 1_000)
    await other.close()
  })

  it("takes back the block of a node that died, and forgets only what that node had not written", async () => {
    const { id } = await gate.account({ plan: "free" })
    const dead = gate.node()
    await takeMany(dead, id, "free", 3)
    await flushed(id, 3)
    // Nothing of this node happens any more: its block is in the store, nobody renews it, and its time is over.
    const store = await gate.run(Usage)
    const held = await gate.run(
      store.lease({
        nodeId: "a node that dies",
        accountId: id,
        month: "2026-07",
        limit: 1_000,
        blockMax: 500,
        blockShare: 1,
        leaseMillis: -1
      })
    )
    expect(held.granted).toBe(500)
    const calls = takeMany(gate, id, "free", 1_000)
    await withTime(id, calls)
    const admitted = (await calls).filter((decision) => decision.admitted).length
    expect(admitted).toBe(997)
    await dead.close()
  })

  it("begins anew with each calendar month of UTC", async () => {
    const own = await startGate({}, Date.UTC(2026, 6, 31, 23, 59, 50))
    try {
      const { id } = await own.account({ plan: "free" })
      await takeMany(own, id, "free", 1_000)
      expect((await take(own, id, "free")).retryAfter).toBe(10)
      await own.advance(10_000)
      expect(await take(own, id, "free")).toMatchObject({ admitted: true, month: "2026-08", used: 1 })
    } finally {
      await own.close()
    }
  })

  it("counts on a plan without a limit, and never refuses", async () => {
    const { id } = await gate.account({ plan: "enterprise" })
    const decisions = await takeMany(gate, id, "enterprise", 2_000)
    expect(decisions.every((decision) => decision.admitted && decision.limit === Number.POSITIVE_INFINITY)).toBe(true)
    await flushed(id, 2_000)
  })

  it("follows a change of plan at once", async () => {
    const { id } = await gate.account({ plan: "free" })
    await takeMany(gate, id, "free", 1_000)
    expect((await take(gate, id, "free")).admitted).toBe(false)
    expect(await take(gate, id, "pro")).toMatchObject({ admitted: true, remaining: 48_999 })
  })

  it("writes what is left to write when the node closes", async () => {
    const { id } = await gate.account({ plan: "pro" })
    const leaving = gate.node()
    await takeMany(leaving, id, "pro", 7)
    await leaving.close()
    expect(await written(id)).toBe(7)
  })
})
