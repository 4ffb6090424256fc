/** Deliveries in the store: committed once, recorded once, shown by attempt, resent, pruned. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { newId } from "../../src/domain/ids.ts"
import {
  deliveriesPerWebhookMax,
  deliveryKeepMillis,
  eventSeenMillis,
  parkedMillisMax
} from "../../src/limits/delivery.ts"
import { Deliveries, type HealthRow, type NewDelivery, type OutcomeRow } from "../../src/store/deliveries.ts"
import { DeliveryHistory } from "../../src/store/deliveryhistory.ts"
import { DeliveryUpkeep } from "../../src/store/deliveryupkeep.ts"
import { Webhooks } from "../../src/store/webhooks.ts"
import { databaseMissing } from "../support/database.ts"
import { useStore } from "../support/store.ts"

const now = 1_790_000_000_000

describe.skipIf(databaseMissing)("deliveries in the store", () => {
  const services = Layer.mergeAll(Webhooks.layer, Deliveries.layer, DeliveryHistory.layer, DeliveryUpkeep.layer)
  const { run, account } = useStore(services)
  const insert = (batch: ReadonlyArray<NewDelivery>) => run(Effect.flatMap(Deliveries, (one) => one.insert(batch, 4)))
  const soonest = (id: string, limit = 100, except: ReadonlyArray<string> = []) =>
    run(Effect.flatMap(Deliveries, (one) => one.soonest(id, limit, except)))
  const settle = (outcomes: ReadonlyArray<OutcomeRow>, health: ReadonlyArray<HealthRow> = []) =>
    run(Effect.flatMap(Deliveries, (one) => one.settle(outcomes, health)))
  const page = (id: string, limit = 100) =>
    run(Effect.flatMap(DeliveryHistory, (one) => one.page(id, limit, undefined)))
  const resend = (webhookId: string, id: string, at = now) =>
    run(Effect.flatMap(DeliveryHistory, (one) => one.resend(webhookId, id, 4, at)))

  const webhook = async () => {
    const accountId = await account()
    const id = newId("webhook")
    const draft = { id, accountId, url: "https://example.com", events: ["*"], secret: "sealed" }
    await run(Effect.flatMap(Webhooks, (one) => one.create(draft, 10, now)))
    return { id, accountId }
  }
  const fresh = (webhookId: string, members: Partial<NewDelivery> = {}): NewDelivery => ({
    id: newId("delivery"),
    webhookId,
    event: "agent:stopped",
    body: '{"a":"\\u0000é😀\'\\"{}"}',
    createdAt: now,
    dedupe: undefined,
    ...members
  })
  const outcome = (one: NewDelivery, members: Partial<OutcomeRow> = {}): OutcomeRow => ({
    deliveryId: one.id,
    webhookId: one.webhookId,
    attempts: 1,
    state: "succeeded",
    dueAt: now,
    at: now + 10,
    statusCode: 200,
    error: undefined,
    body: "ok",
    truncated: false,
    durationMs: 12,
    ...members
  })

  describe("a batch", () => {
    it("is committed and read back byte for byte, soonest first", async () => {
      const { id } = await webhook()
      const late = fresh(id, { createdAt: now + 5 })
      const early = fresh(id)
      const { deliveryIds } = await insert([late, early])
      expect(deliveryIds).toEqual(new Set([late.id, early.id]))
      const rows = await soonest(id)
      expect(rows.map((row) => row.id)).toEqual([early.id, late.id])
      expect(rows[0]).toEqual({
        id: early.id,
        webhookId: id,
        event: "agent:stopped",
        body: early.body,
        attempts: 0,
        earlierAttempts: 0,
        maxAttempts: 4,
        dueAt: now
      })
      expect(await soonest(id, 1, [early.id])).toMatchObject([{ id: late.id }])
    })

    it("leaves out what no active webhook wants any more", async () => {
      const paused = await webhook()
      await run(Effect.flatMap(Webhooks, (one) => one.setActive(paused.accountId, paused.id, false, now)))
      const { deliveryIds } = await insert([fresh(paused.id), fresh(newId("webhook"))])
      expect(deliveryIds.size).toBe(0)
      expect(await soonest(paused.id)).toEqual([])
    })

    it("takes an event that a daemon numbered once, in one batch and over batches, for each webhook", async () => {
      const [one, other] = [await webhook(), await webhook()]
      const dedupe = { daemonId: newId("daemon"), id: "e1" }
      const first = await insert([fresh(one.id, { dedupe }), fresh(other.id, { dedupe })])
      expect(first.deliveryIds.size).toBe(2)
      expect(first.fresh).toEqual(new Set([`${dedupe.daemonId}\ne1`]))
      const again = await insert([fresh(one.id, { dedupe }), fresh(one.id)])
      expect(again.deliveryIds.size).toBe(1)
      expect(again.fresh.size).toBe(0)
      const elsewhere = await insert([fresh(one.id, { dedupe: { ...dedupe, daemonId: newId("daemon") } })])
      expect(elsewhere.deliveryIds.size).toBe(1)
    })
  })

  describe("an outcome", () => {
    it("ends a delivery, and is recorded once", async () => {
      const { id } = await webhook()
      const one = fresh(id)
      await insert([one])
      await settle([outcome(one)])
      await settle([outcome(one, { statusCode: 500, state: "failed" })])
      expect(await soonest(id)).toEqual([])
      expect(await page(id)).toMatchObject([
        {
          deliveryId: one.id,
          attempt: 1,
          maxAttempts: 4,
          status: "succeeded",
          nextAttemptAt: null,
          statusCode: 200,
          responseBody: "ok",
          durationMs: 12,
          at: now + 10
        }
      ])
    })

    it("of an attempt that will be repeated makes the delivery due later and keeps the attempt", async () => {
      const { id } = await webhook()
      const one = fresh(id)
      await insert([one])
      await settle([outcome(one, { state: "retry", statusCode: 503, dueAt: now + 5_000 })])
      expect(await soonest(id)).toMatchObject([{ id: one.id, attempts: 1, dueAt: now + 5_000 }])
      expect(await page(id)).toMatchObject([
        { attempt: 1, status: "failed", statusCode: 503, nextAttemptAt: now + 5_000 }
      ])
      await settle([outcome(one, { attempts: 2, at: now + 5_010 })])
      expect((await page(id)).map((entry) => [entry.attempt, entry.status, entry.nextAttemptAt])).toEqual([
        [2, "succeeded", null],
        [1, "failed", null]
      ])
    })

    it("sets the webhook's health beside it", async () => {
      const { id, accountId } = await webhook()
      const health = {
        webhookId: id,
        failures: 10,
        failingSince: now,
        lastDeliveryAt: now + 1,
        lastStatusCode: undefined
      }
      await settle([], [health])
      const get = run(Effect.flatMap(Webhooks, (one) => one.get(accountId, id)))
      expect(await get).toMatchObject({
        failures: 10,
        failingSince: now,
        lastDeliveryAt: now + 1,
        lastStatusCode: null
      })
    })

    it("of a cancelled delivery changes nothing", async () => {
      const { id, accountId } = await webhook()
      const one = fresh(id)
      await insert([one])
      await run(Effect.flatMap(Webhooks, (store) => store.setActive(accountId, id, false, now + 3)))
      await settle([outcome(one)])
      expect(await page(id)).toMatchObject([{ status: "cancelled", statusCode: null, responseBody: null, at: now + 3 }])
    })
  })

  describe("the history", () => {
    it("shows every attempt once, newest first, over pages", async () => {
      const { id } = await webhook()
      const many = [...Array(7).keys()].map((n) => fresh(id, { createdAt: now + n }))
      await insert(many)
      await settle(many.slice(0, 5).map((one, n) => outcome(one, { state: "retry", statusCode: 500, at: now + n })))
      await settle(many.slice(0, 3).map((one, n) => outcome(one, { attempts: 2, at: now + 50 + n })))
      const all = await page(id)
      // seven deliveries: three with two attempts, two with one, two that wait for their first
      expect(all).toHaveLength(3 * 2 + 2 + 2)
      expect(all.map((entry) => entry.at)).toEqual([...all.map((entry) => entry.at)].sort((a, b) => b - a))
      expect(new Set(all.map((entry) => entry.id)).size).toBe(10)
      const paged: Array<unknown> = []
      let after: (typeof all)[number] | undefined
      for (;;) {
        const entries = await run(Effect.flatMap(DeliveryHistory, (one) => one.page(id, 3, after)))
        paged.push(...entries)
        after = entries.at(-1)
        if (after === undefined) break
      }
      expect(paged).toEqual(all)
    })

    it("keeps an attempt's id when a resend moves it aside, and counts the new attempts from one", async () => {
      const { id } = await webhook()
      const one = fresh(id)
      await insert([one])
      await settle([outcome(one, { state: "failed", statusCode: 410 })])
      const [before] = await page(id)
      expect(await resend(id, one.id, now + 100)).toBe("resent")
      const [pending, moved] = await page(id)
      expect(moved).toEqual({ ...before, nextAttemptAt: null })
      expect(pending).toMatchObject({ attempt: 1, status: "pending", nextAttemptAt: now + 100, statusCode: null })
      expect(await soonest(id)).toMatchObject([{ id: one.id, attempts: 1, earlierAttempts: 1, body: one.body }])
      await settle([outcome(one, { attempts: 2, at: now + 200 })])
      expect((await page(id)).map((entry) => [entry.attempt, entry.status])).toEqual([
        [1, "succeeded"],
        [1, "failed"]
      ])
    })

    it("makes a pending delivery due now when it is resent", async () => {
      const { id } = await webhook()
      const one = fresh(id)
      await insert([one])
      await settle([outcome(one, { state: "retry", statusCode: 500, dueAt: now + 60_000 })])
      await resend(id, one.id, now + 1)
      expect(await soonest(id)).toMatchObject([{ dueAt: now + 1, attempts: 1, earlierAttempts: 0 }])
    })

    it("does not resend what is not this webhook's", async () => {
      const [mine, other] = [await webhook(), await webhook()]
      const one = fresh(other.id)
      await insert([one])
      expect(await resend(mine.id, one.id)).toBe("unknown")
    })

    it("recovers what failed or expired since a time, and nothing else", async () => {
      const { id } = await webhook()
      const [failed, old, succeeded, pending] = [
        fresh(id),
        fresh(id, { createdAt: now - 1 }),
        fresh(id),
        fresh(id)
      ] as const
      await insert([failed, old, succeeded, pending])
      await settle([
        outcome(failed, { state: "failed", statusCode: 500 }),
        outcome(old, { state: "failed", statusCode: 500 }),
        outcome(succeeded)
      ])
      const recover = run(Effect.flatMap(DeliveryHistory, (one) => one.recover(id, now, 4, now + 9)))
      expect(await recover).toBe(1)
      expect((await soonest(id)).map((row) => row.id).sort()).toEqual([failed.id, pending.id].sort())
    })
  })

  describe("the upkeep", () => {
    const upkeep = <A>(use: (one: DeliveryUpkeep["Service"]) => Effect.Effect<A, unknown>) =>
      run(Effect.flatMap(DeliveryUpkeep, use))

    it(`keeps the newest ${deliveriesPerWebhookMax} finished ones and prunes the rest with their attempts`, async () => {
      const { id } = await webhook()
      const many = [...Array(deliveriesPerWebhookMax + 10).keys()].map((n) => fresh(id, { createdAt: now + n }))
      await insert(many)
      await settle(many.map((one, n) => outcome(one, { state: "retry", statusCode: 500, at: now + n })))
      await settle(many.map((one, n) => outcome(one, { attempts: 2, at: now + n })))
      const pending = fresh(id)
      await insert([pending])
      expect(await upkeep((one) => one.prune(id, now + 10_000))).toBe(10)
      expect(await upkeep((one) => one.prune(id, now + 10_000))).toBe(0)
      const left = await page(id, 5_000)
      expect(left).toHaveLength(deliveriesPerWebhookMax * 2 + 1)
      const shown = new Set(left.map((entry) => entry.deliveryId))
      expect(shown.has(many[9]!.id)).toBe(false)
      expect(shown.has(many[10]!.id)).toBe(true)
      expect(shown.has(pending.id)).toBe(true)
    })

    it("prunes what finished seven days ago, and never what is pending", async () => {
      const { id } = await webhook()
      const [old, young, pending] = [fresh(id), fresh(id), fresh(id)] as const
      await insert([old, young, pending])
      await settle([outcome(old, { at: now }), outcome(young, { at: now + 1 })])
      expect(await upkeep((one) => one.prune(id, now + deliveryKeepMillis))).toBe(1)
      expect((await page(id)).map((entry) => entry.deliveryId).sort()).toEqual([young.id, pending.id].sort())
    })

    it("expires what was parked for 24 h while its webhook was failing", async () => {
      const { id } = await webhook()
      const [old, young] = [fresh(id), fresh(id, { createdAt: now + 2 })] as const
      await insert([old, young])
      expect(await upkeep((one) => one.end(id, now + parkedMillisMax + 1))).toBe(0)
      const failing = { failures: 10, failingSince: now + 1, lastDeliveryAt: now, lastStatusCode: 500 }
      await settle([], [{ webhookId: id, ...failing }])
      expect(await upkeep((one) => one.end(id, now + parkedMillisMax))).toBe(0)
      expect(await upkeep((one) => one.end(id, now + parkedMillisMax + 1))).toBe(1)
      expect((await page(id)).map((entry) => [entry.deliveryId, entry.status]).sort()).toEqual(
        [
          [old.id, "expired"],
          [young.id, "pending"]
        ].sort()
      )
    })

    it("cancels what is pending of a webhook that is paused or gone", async () => {
      const { id } = await webhook()
      const one = fresh(id)
      await insert([one])
      const sql = <A>(use: (client: SqlClient.SqlClient) => Effect.Effect<A, unknown>) =>
        run(Effect.flatMap(SqlClient.SqlClient, use))
      await sql((client) => client`delete from webhooks where id = ${id}`)
      expect(await upkeep((keeper) => keeper.end(id, now + 1))).toBe(1)
      expect(await page(id)).toMatchObject([{ status: "cancelled" }])
    })

    it("finds every webhook that has deliveries, pending or finished, page by page", async () => {
      const ids = (await Promise.all([webhook(), webhook(), webhook()])).map((one) => one.id).sort()
      const finished = fresh(ids[0]!)
      await insert([finished, fresh(ids[1]!), fresh(ids[2]!)])
      await settle([outcome(finished)])
      const seen: Array<string> = []
      for (let after = ""; ; after = seen.at(-1)!) {
        const some = await upkeep((one) => one.webhooksAfter(after, 2))
        seen.push(...some)
        if (some.length < 2) break
      }
      expect(seen).toEqual(expect.arrayContaining(ids))
      expect(seen).toEqual([...new Set(seen)].sort())
    })

    it("forgets numbered events after a day, and not before", async () => {
      const { id } = await webhook()
      const dedupe = { daemonId: newId("daemon"), id: "e" }
      await insert([fresh(id, { dedupe })])
      await upkeep((one) => one.forget(now + eventSeenMillis - 1))
      expect((await insert([fresh(id, { dedupe })])).deliveryIds.size).toBe(0)
      await upkeep((one) => one.forget(now + eventSeenMillis))
      expect((await insert([fresh(id, { dedupe })])).deliveryIds.size).toBe(1)
    })
  })
})
