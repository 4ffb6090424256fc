/** What time does to deliveries: pruned, expired, cancelled; pending ones are never pruned. */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import {
  deliveriesPerWebhookMax,
  deliveryKeepMillis,
  eventSeenMillis,
  eventsSeenPerDaemonMax,
  parkedMillisMax,
  upkeepRowsMax
} from "../../../../src/limits/delivery.ts"
import { Daemons } from "../../../../src/store/daemons/daemons.ts"
import { DeliveryRetention } from "../../../../src/store/webhooks/delivery-retention.ts"
import { Webhooks } from "../../../../src/store/webhooks/webhooks.ts"
import { given } from "../../../support/given.ts"
import { now, useDeliveries } from "../../../support/stored-deliveries.ts"

describe("deliveries over time", () => {
  const { run, insert, settle, page, resend, webhook, fresh, outcome, using } = useDeliveries(Daemons.layer)

  describe("the upkeep", () => {
    const upkeep = using(DeliveryRetention)

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

    given(webhook)("prunes what finished seven days ago, and never what is pending", async ({ id }) => {
      const [old, young, pending] = [fresh(id), fresh(id), fresh(id)] as const
      await insert([old, young, pending])
      await settle([outcome(old, { at: now }), outcome(young, { at: now + 1 })])
      expect(await upkeep((one) => one.prune(id, now + deliveryKeepMillis))).toBe(1)
      expect((await page(id)).map((entry) => entry.deliveryId).sort()).toEqual([young.id, pending.id].sort())
    })

    it("prunes all that finished of a webhook that is gone, which nobody can see any more", async () => {
      const [kept, gone] = [await webhook(), await webhook()]
      const many = [fresh(kept.id), fresh(gone.id), fresh(gone.id)]
      await insert(many)
      await settle(many.map((one) => outcome(one)))
      await run(Effect.flatMap(Webhooks, (one) => one.remove(gone.accountId, gone.id, now)))
      expect(await upkeep((one) => one.prune(gone.id, now + 10))).toBe(2)
      expect(await upkeep((one) => one.prune(kept.id, now + 10))).toBe(0)
    })

    given(webhook)("expires what was parked for 24 h while its webhook was failing", async ({ id }) => {
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

    given(webhook)("does not expire what was taken up again since", async ({ id }) => {
      const one = fresh(id)
      await insert([one])
      const failing = { failures: 10, failingSince: now, lastDeliveryAt: now, lastStatusCode: 500 }
      await settle([outcome(one, { state: "failed", statusCode: 500 })], [{ webhookId: id, ...failing }])
      await resend(id, one.id, now + parkedMillisMax)
      expect(await upkeep((keeper) => keeper.end(id, now + parkedMillisMax))).toBe(0)
      expect(await upkeep((keeper) => keeper.end(id, now + 2 * parkedMillisMax))).toBe(1)
    })

    given(webhook)(`does ${upkeepRowsMax} rows a statement, and says so`, async ({ id, accountId }) => {
      const many = [...Array(upkeepRowsMax + 3).keys()].map(() => fresh(id))
      await insert(many)
      const sql = using(SqlClient.SqlClient)
      await sql((client) => client`delete from webhooks where account_id = ${accountId}`)
      expect(await upkeep((keeper) => keeper.end(id, now + 1))).toBe(upkeepRowsMax)
      expect(await upkeep((keeper) => keeper.end(id, now + 1))).toBe(3)
      const old = now + 1 + deliveryKeepMillis
      expect(await upkeep((keeper) => keeper.prune(id, old))).toBe(upkeepRowsMax)
      expect(await upkeep((keeper) => keeper.prune(id, old))).toBe(3)
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

    given(webhook)("gives the space of dead rows back and loses nothing", async ({ id }) => {
      const one = fresh(id)
      await insert([one])
      await settle([outcome(one)])
      await upkeep((keeper) => keeper.vacuum)
      expect(await page(id)).toMatchObject([{ deliveryId: one.id, status: "succeeded" }])
    })

    given(webhook)("forgets numbered events after a day, and not before", async ({ id }) => {
      const dedupe = { daemonId: newId("daemon"), id: "e" }
      await insert([fresh(id, { dedupe })])
      await upkeep((one) => one.forget(now + eventSeenMillis - 1))
      expect((await insert([fresh(id, { dedupe })])).deliveryIds.size).toBe(0)
      await upkeep((one) => one.forget(now + eventSeenMillis))
      expect((await insert([fresh(id, { dedupe })])).deliveryIds.size).toBe(1)
    })

    it("forgets the numbered events of a daemon that is revoked or removed, and no other's", async () => {
      const { id, accountId } = await webhook()
      const enrolled = async () => {
        const tokenHash = randomBytes(32).toString("hex")
        const given = { accountId, daemonId: undefined, tokenHash, name: "laptop", now }
        return (await run(Effect.flatMap(Daemons, (one) => one.enrol(given))))!
      }
      const [revoked, removed, kept] = [await enrolled(), await enrolled(), await enrolled()]
      const events = (at: number) =>
        [revoked, removed, kept].map((daemonId) => fresh(id, { createdAt: at, dedupe: { daemonId, id: "e" } }))
      await insert(events(now))
      await run(Effect.flatMap(Daemons, (one) => one.revoke(newId("account"), kept)))
      await run(Effect.flatMap(Daemons, (one) => one.revoke(accountId, revoked)))
      await run(Effect.flatMap(Daemons, (one) => one.remove(accountId, removed)))
      expect([...(await insert(events(now + 1))).fresh].sort()).toEqual([`${revoked}\ne`, `${removed}\ne`].sort())
    })

    it(`remembers the newest ${eventsSeenPerDaemonMax} numbered events of a daemon, and all of another`, async () => {
      const { id } = await webhook()
      const [much, little] = [newId("daemon"), newId("daemon")]
      const numbered = (daemonId: string, n: number) =>
        fresh(id, { createdAt: now + n, dedupe: { daemonId, id: `e${n}` } })
      const beyond = upkeepRowsMax + 3
      await insert([...Array(eventsSeenPerDaemonMax + beyond).keys()].map((n) => numbered(much, n)))
      await insert([numbered(little, 0)])
      expect(await upkeep((one) => one.forgetBeyond(much))).toBe(upkeepRowsMax)
      expect(await upkeep((one) => one.forgetBeyond(much))).toBe(beyond - upkeepRowsMax)
      expect(await upkeep((one) => one.forgetBeyond(much))).toBe(0)
      expect(await upkeep((one) => one.forgetBeyond(little))).toBe(0)
      const again = await insert([numbered(much, beyond - 1), numbered(much, beyond), numbered(little, 0)])
      expect([...again.fresh]).toEqual([`${much}\ne${beyond - 1}`])
    })
  })
})
