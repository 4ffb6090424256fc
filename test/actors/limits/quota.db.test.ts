/** The monthly quota on a real database: exact on one node and over nodes, by calendar month, and durable. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Quota } from "../../../actors/limits/quota.ts"
import { quotaFlushMillis } from "../../../src/limits.ts"
import { toEffect } from "../../../src/runtime/maybe-sync.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { Usage } from "../../../src/store/accounts/usage.ts"
import { given } from "../../support/given.ts"
import { useStore } from "../../support/store-services.ts"
import { until } from "../../support/until.ts"
import { type HubClock, hubClock, turns } from "../../support/virtual-hub-clock.ts"

const hour = 3_600_000

describe("the monthly quota", () => {
  const store = useStore(Usage.layer)
  const clock = hubClock(Date.UTC(2026, 6, 15))
  const ends: Array<() => Promise<void>> = []
  // before the store's own end
  afterAll(async () => {
    for (const end of ends) await end()
  })

  /** Statements of all nodes that are not answered yet. */
  let asked = 0
  const counted = <A, E>(statement: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.acquireUseRelease(
      Effect.sync(() => asked++),
      () => statement,
      () => Effect.sync(() => asked--)
    )
  /** The store, whose blocks outlast a machine that stands still: they end by the database's clock. */
  const lasting = Layer.effect(
    Usage,
    Effect.map(Usage, (usage) => ({
      ...usage,
      lease: (ask) => counted(usage.lease({ ...ask, leaseMillis: hour })),
      settle: (settlement) => counted(usage.settle({ ...settlement, leaseMillis: hour }))
    }))
  ).pipe(Layer.provide(Usage.layer))

  /** A node on the database. */
  const node = async (time: HubClock = clock) => {
    const client = await store.run(SqlClient.SqlClient)
    const own = Layer.mergeAll(Layer.succeed(SqlClient.SqlClient, client), NodeId.layer(), time.layer)
    const runtime = ManagedRuntime.make(Layer.fresh(Quota.layer).pipe(Layer.provide(lasting), Layer.provide(own)))
    const quota = await runtime.runPromise(Quota)
    const take = (accountId: string) => runtime.runPromise(toEffect(quota.take(accountId, "free")))
    const takeMany = (accountId: string, calls: number) =>
      runtime.runPromise(
        Effect.forEach(Array.from({ length: calls }), () => toEffect(quota.take(accountId, "free")), {
          concurrency: 50
        })
      )
    ends.push(() => runtime.dispose())
    return { quota, take, takeMany, close: () => runtime.dispose() }
  }
  type QuotaNode = Awaited<ReturnType<typeof node>>
  let one: QuotaNode
  beforeAll(async () => {
    one = await node()
  })

  const advance = (millis: number): Promise<void> => clock.advance(millis, () => turns())
  const written = (accountId: string) => store.run(Effect.flatMap(Usage, (usage) => usage.used(accountId, "2026-07")))
  /** Moves on until the batch is in the store, which works in real time. */
  const flushed = (accountId: string, calls: number) =>
    until(`${calls} calls are written`, async () => {
      await advance(quotaFlushMillis)
      return (await written(accountId)) === calls
    })

  /** Moves time on while something runs, whenever the store has answered all: no wait ends for its slowness. */
  const withTime = async (work: Promise<unknown>): Promise<void> => {
    let running = true
    const ended = work.finally(() => {
      running = false
    })
    while (running) {
      await turns()
      await until("the store has answered", () => asked === 0)
      await advance(quotaFlushMillis / 4)
    }
    await ended
  }

  given(store.account)("serves call N of N and refuses N+1 until the first of next month", async (id) => {
    const decisions = await one.takeMany(id, 1_000)
    expect(decisions.every((decision) => decision.admitted)).toBe(true)
    expect(decisions.at(-1)).toMatchObject({ limit: 1_000, policy: "month", month: "2026-07" })
    const refused = await one.take(id)
    expect(refused).toMatchObject({ admitted: false, remaining: 0, used: 1_000 })
    expect(refused.retryAfter).toBe(Math.ceil((Date.UTC(2026, 7, 1) - clock.now()) / 1_000))
    await flushed(id, 1_000)
  })

  given(store.account)("serves a call that was given back, and counts it once", async (id) => {
    await one.takeMany(id, 1_000)
    expect((await one.take(id)).admitted).toBe(false)
    one.quota.refund(id, "2026-07")
    expect((await one.take(id)).admitted).toBe(true)
    expect((await one.take(id)).admitted).toBe(false)
    await flushed(id, 1_000)
  })

  given(store.account)("gives back to the store what was refunded after it was written", async (id) => {
    await one.takeMany(id, 10)
    await flushed(id, 10)
    one.quota.refund(id, "2026-07")
    await flushed(id, 9)
  })

  given(store.account)("is exact over two nodes that call at once", async (id) => {
    const other = await node()
    let admitted = 0
    const call = async ({ takeMany }: QuotaNode) => {
      for (const decision of await takeMany(id, 300)) if (decision.admitted) admitted++
    }
    // a node that finds all calls held waits for what the other gives back
    await withTime(Promise.all([call(one), call(other), call(one), call(other)]))
    expect(admitted).toBe(1_000)
    await flushed(id, 1_000)
  })

  it("takes back the block of a node that died, and forgets only what that node had not written", async () => {
    const id = await store.account()
    const dead = await node()
    await dead.takeMany(id, 3)
    await flushed(id, 3)
    // nothing of this node happens any more: its block is in the store, nobody renews it, and its time is over
    const block = { month: "2026-07", limit: 1_000, blockMax: 500, blockShare: 1, leaseMillis: -1 }
    const held = await store.run(
      Effect.flatMap(Usage, (usage) => usage.lease({ nodeId: "a node that dies", accountId: id, ...block }))
    )
    expect(held.granted).toBe(500)
    const calls = one.takeMany(id, 1_000)
    await withTime(calls)
    expect((await calls).filter((decision) => decision.admitted)).toHaveLength(997)
  })

  given(store.account)("begins anew with each calendar month of UTC", async (id) => {
    const time = hubClock(Date.UTC(2026, 6, 31, 23, 59, 50))
    const own = await node(time)
    await own.takeMany(id, 1_000)
    expect((await own.take(id)).retryAfter).toBe(10)
    await time.advance(10_000, () => turns())
    expect(await own.take(id)).toMatchObject({ admitted: true, month: "2026-08", used: 1 })
  })

  given(store.account)("writes what is left to write when the node closes", async (id) => {
    const leaving = await node()
    await leaving.takeMany(id, 7)
    await leaving.close()
    expect(await written(id)).toBe(7)
  })
})
