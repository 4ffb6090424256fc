/** A disabled account in the store: nothing of it is sent, every node finds it, and what is pending waits for a day. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import { parkedMillisMax } from "../../../../src/limits/delivery.ts"
import { Accounts } from "../../../../src/store/accounts/accounts.ts"
import { Daemons } from "../../../../src/store/daemons/daemons.ts"
import { PresenceStore } from "../../../../src/store/daemons/presence.ts"
import { DeliveryRetention } from "../../../../src/store/webhooks/delivery-retention.ts"
import { Leases } from "../../../../src/store/webhooks/leases.ts"
import { Webhooks } from "../../../../src/store/webhooks/webhooks.ts"
import { now, useDeliveries } from "../../../support/stored-deliveries.ts"

describe("a disabled account", () => {
  const { run, insert, soonest, page, webhook, fresh, using } = useDeliveries(
    Layer.mergeAll(Leases.layer, Daemons.layer, PresenceStore.layer)
  )
  const set = (accountId: string, is: boolean) => run(Effect.flatMap(Accounts, (one) => one.setDisabled(accountId, is)))
  const webhooks = using(Webhooks)
  const leases = using(Leases)
  const end = (id: string, at: number) => run(Effect.flatMap(DeliveryRetention, (one) => one.end(id, at)))
  const presence = using(PresenceStore)
  const daemons = using(Daemons)

  it("wants nothing, and wants again what it wanted once it is enabled, paused webhooks apart", async () => {
    const { id, accountId } = await webhook()
    await set(accountId, true)
    expect(await webhooks((one) => one.subscriptions(accountId))).toBe("disabled")
    await set(accountId, false)
    expect(await webhooks((one) => one.subscriptions(accountId))).toEqual([{ id, events: ["*"] }])
    await webhooks((one) => one.change(accountId, id, { active: false }, now))
    expect(await webhooks((one) => one.subscriptions(accountId))).toEqual([])
    await set(accountId, true)
    expect(await webhooks((one) => one.subscriptions(accountId))).toBe("disabled")
  })

  it("is found by the version, as often as it is disabled or enabled, and where it is removed by then", async () => {
    const { accountId } = await webhook()
    let { version } = await webhooks((one) => one.changedSince(0))
    for (const is of [true, true, false]) {
      expect(await set(accountId, is)).toBe(true)
      const changes = await webhooks((one) => one.changedSince(version))
      expect(changes).toEqual({ version: version + 1, accountIds: [accountId], disabled: is ? [accountId] : [] })
      version = changes.version
    }
    await set(accountId, true)
    await run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from accounts where id = ${accountId}`))
    const removed = await webhooks((one) => one.changedSince(version))
    expect(removed).toEqual({ version: ++version, accountIds: [accountId], disabled: [accountId] })
    for (const unknown of [newId("account"), "junk"]) expect(await set(unknown, true)).toBe(false)
    expect((await webhooks((one) => one.changedSince(version))).version).toBe(version)
  })

  it("has its webhooks held by no node: not taken, not renewed, not looked for, not read again; another's are", async () => {
    const [own, other] = [await webhook(), await webhook()]
    await insert([fresh(own.id), fresh(other.id)])
    const ids = [own.id, other.id]
    expect((await leases((one) => one.take("a", ids))).map(({ id }) => id).sort()).toEqual([...ids].sort())
    await set(own.accountId, true)
    expect([...(await leases((one) => one.renew("a"))).keys()]).toEqual([other.id])
    expect(await leases((one) => one.profile(own.id))).toBeUndefined()
    await leases((one) => one.reclaim)
    const unheld = async () => (await leases((one) => one.unheld(now, 1_000))).filter((id) => ids.includes(id)).sort()
    expect(await unheld()).toEqual([other.id])
    expect((await leases((one) => one.take("b", ids))).map(({ id }) => id)).toEqual([other.id])
    // by the database's clock, which goes on
    await using(SqlClient.SqlClient)(
      (sql) => sql`update webhook_leases set until = 9000000000000000 where webhook_id = ${other.id}`
    )
    await set(own.accountId, false)
    expect(await unheld()).toEqual([own.id])
    expect((await leases((one) => one.take("b", [own.id]))).map(({ id }) => id)).toEqual([own.id])
  })

  it("keeps its pending deliveries for 24 h from their commit; then they expire", async () => {
    const { id, accountId } = await webhook()
    const [old, young] = [fresh(id), fresh(id, { createdAt: now + 1 })]
    await insert([old!, young!])
    await set(accountId, true)
    expect(await end(id, now + parkedMillisMax - 1)).toBe(0)
    expect(await soonest(id)).toHaveLength(2)
    expect(await end(id, now + parkedMillisMax)).toBe(1)
    expect((await soonest(id)).map((one) => one.id)).toEqual([young!.id])
    expect((await page(id)).find(({ deliveryId }) => deliveryId === old!.id)).toMatchObject({ status: "expired" })
    await set(accountId, false)
    expect(await end(id, now + 2 * parkedMillisMax)).toBe(0)
  })

  it("is named with each of its daemons to a node that asks how they stand", async () => {
    const { accountId } = await webhook()
    const enrolment = { accountId, daemonId: undefined, tokenHash: "ab".repeat(32), name: "", now }
    const daemonId = (await daemons((one) => one.enrol(enrolment)))!
    const standing = { daemonId, epoch: 0, revoked: false, node: null, ownerTags: null }
    for (const is of [false, true, false]) {
      await set(accountId, is)
      expect(await presence((one) => one.standings([daemonId]))).toEqual([{ ...standing, accountDisabled: is }])
    }
  })
})
