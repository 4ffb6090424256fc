/** Deliveries in the store: committed once, recorded once, shown by attempt, resent, pruned. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { testEvent } from "../../../../src/domain/event/events.ts"
import { recoverRowsMax } from "../../../../src/limits/delivery.ts"
import { DeliveryHistory } from "../../../../src/store/webhooks/delivery-history.ts"
import { Webhooks } from "../../../../src/store/webhooks/webhooks.ts"
import { given } from "../../../support/given.ts"
import { now, useDeliveries } from "../../../support/stored-deliveries.ts"

describe("deliveries in the store", () => {
  const { run, insert, soonest, settle, page, resend, webhook, fresh, outcome } = useDeliveries()

  it("a batch is committed and read back byte for byte, soonest first, and due for whoever reads it", async () => {
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
      dueAt: 0,
      createdAt: now,
      trace: null
    })
    expect(await soonest(id, 1, [early.id])).toMatchObject([{ id: late.id }])
  })

  describe("an outcome", () => {
    given(webhook)("ends a delivery, and is recorded once", async ({ id }) => {
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

    it("of a delivery that was cancelled meanwhile is shown, and ends it unless it would be retried", async () => {
      const { id, accountId } = await webhook()
      const [answered, refused, waiting] = [fresh(id), fresh(id), fresh(id)] as const
      await insert([answered, refused, waiting])
      await run(Effect.flatMap(Webhooks, (port) => port.change(accountId, id, { active: false }, now + 5)))
      await settle([outcome(answered), outcome(refused, { state: "retry", statusCode: 500 })])
      await settle([outcome(answered, { statusCode: 500, state: "failed" })])
      const entries = await page(id)
      const of = ({ id }: { readonly id: string }) =>
        entries
          .filter(({ deliveryId }) => deliveryId === id)
          .map(({ attempt, status, statusCode }) => [attempt, status, statusCode])
          .sort()
      expect(of(answered)).toEqual([[1, "succeeded", 200]])
      expect(of(refused)).toEqual([
        [1, "failed", 500],
        [2, "cancelled", null]
      ])
      expect(of(waiting)).toEqual([[1, "cancelled", null]])
      expect(await soonest(id)).toEqual([])
    })

    given(webhook)("sets the webhook's health beside it", async ({ id, accountId }) => {
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
  })

  describe("the history", () => {
    given(webhook)("shows every attempt once, newest first, over pages", async ({ id }) => {
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

    given(webhook)("makes a pending delivery due now when it is resent", async ({ id }) => {
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

    given(webhook)("recovers what failed or expired since a time, and nothing else: no test either", async ({ id }) => {
      const [failed, old, succeeded, pending, test] = [
        fresh(id),
        fresh(id, { createdAt: now - 1 }),
        fresh(id),
        fresh(id),
        fresh(id, { event: testEvent })
      ] as const
      await insert([failed, old, succeeded, pending, test])
      await settle([
        outcome(test, { state: "failed", statusCode: 500 }),
        outcome(failed, { state: "failed", statusCode: 500 }),
        outcome(old, { state: "failed", statusCode: 500 }),
        outcome(succeeded)
      ])
      const recover = run(Effect.flatMap(DeliveryHistory, (one) => one.recover(id, now, 4, now + 9)))
      expect(await recover).toBe(1)
      expect((await soonest(id)).map((row) => row.id).sort()).toEqual([failed.id, pending.id].sort())
    })

    it(`recovers ${recoverRowsMax} at once, the oldest first; the rest when asked again`, async () => {
      const { id } = await webhook()
      const many = [...Array(recoverRowsMax + 3).keys()].map((n) => fresh(id, { createdAt: now + n }))
      await insert(many)
      await settle(many.map((one, n) => outcome(one, { state: "failed", statusCode: 500, at: now + n })))
      const recover = () => run(Effect.flatMap(DeliveryHistory, (one) => one.recover(id, now, 4, now + 9_999)))
      expect(await recover()).toBe(recoverRowsMax)
      expect((await soonest(id, 5_000)).map((row) => row.id).sort()).toEqual(
        many
          .slice(0, recoverRowsMax)
          .map((one) => one.id)
          .sort()
      )
      expect(await recover()).toBe(3)
      expect(await recover()).toBe(0)
    })
  })
})
