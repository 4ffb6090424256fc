/**
 * Who is online, on which node, in a real database: what of claims and releases store-conformance.db.test.ts does not
 * compare.
 */
import { describe, expect, it } from "vitest"
import { session, snapshot } from "../../../support/snapshots.ts"
import { connect, delivery, someTokenHash, usePresenceStore } from "./presence-store.ts"

describe("presence in the store", () => {
  const { store, presence, daemons, sql, node, daemon, webhook, claim, release, deliveriesOf } = usePresenceStore()

  it("begins no time online before the last one ended, and says when that was", async () => {
    const accountId = await store.account()
    const [id, wants, by] = [await daemon(accountId), await webhook(accountId), await node()]
    await claim(by, connect(id))
    await release(by, id, 1, [], 700)
    const told = "select last_end_reason as reason, last_close_code as code from daemon_presence where daemon_id = $1"
    expect(await sql(told, [id])).toEqual([{ reason: "timeout", code: 1_006 }])
    const early = { at: 699, deliveries: [delivery(wants)] }
    const refused = await presence((port) => port.claim(by, [connect(id, early)], 4))
    expect([refused.claimed.size, [...refused.early], refused.deliveryIds.size]).toEqual([0, [[id, 700]], 0])
    const again = await presence((port) => port.claim(by, [connect(id, { ...early, epoch: 1 })], 4))
    expect([again.claimed.size, [...again.early]]).toEqual([0, [[id, 700]]])
    const continued = await presence((port) => port.claim(by, [connect(id, { ...early, epoch: 1, begins: false })], 4))
    expect([continued.claimed.size, continued.early.size]).toEqual([0, 0])
    expect(await deliveriesOf(wants)).toEqual([])
    expect((await claim(by, connect(id, { at: 700 }))).first).toMatchObject({ epoch: 2, since: 700, began: true })
    await release(by, id, 2, [], 650)
    expect((await presence((port) => port.claim(by, [connect(id, { at: 650 })], 4))).early.get(id)).toBe(700)
  })

  it("claims nothing for a token that has ended", async () => {
    const accountId = await store.account()
    const [token, never, by] = [someTokenHash(), someTokenHash(), await node()]
    const id = await daemon(accountId, token)
    expect((await claim(by, connect(id, { tokenHash: token }))).first).toMatchObject({ epoch: 1 })
    expect((await claim(by, connect(id, { tokenHash: never }))).first).toBeUndefined()
    await daemons((port) => port.revoke(accountId, id))
    expect((await claim(by, connect(id, { tokenHash: token }))).first).toBeUndefined()
    expect(await presence((port) => port.heldBy(by, "", 2))).toEqual([{ daemonId: id, epoch: 1 }])
  })

  it("hands the snapshot that another node stored to the node that a daemon moves to, with what was told of it", async () => {
    const accountId = await store.account()
    const [id, by, other] = [await daemon(accountId), await node(), await node()]
    expect((await claim(by, connect(id))).first).toMatchObject({ told: undefined })
    await daemons((port) => port.saveSnapshots([snapshot([session("s1")], { daemonId: id, accountId, epoch: 1 })]))
    await sql("update daemons set status_told = 'a', status_told_at = 70 where id = $1", [id])
    const moved = await claim(other, connect(id))
    expect(moved.first).toMatchObject({ stored: { sessions: [{ id: "s1" }] }, told: { at: 70, states: "a" } })
    expect((await claim(other, connect(id))).first).toMatchObject({ stored: undefined })
  })

  it("gives a node that lost sight of its daemons the snapshots of those only that it holds", async () => {
    const accountId = await store.account()
    const [mine, others, by, other] = [await daemon(accountId), await daemon(accountId), await node(), await node()]
    await claim(by, connect(mine))
    await claim(other, connect(others))
    const found = await presence((port) => port.heldSnapshots(by, [mine, others]))
    expect(found.map(({ daemonId }) => daemonId)).toEqual([mine])
  })

  it("says of a daemon that left, was revoked or is of a disabled account that it is so", async () => {
    const accountId = await store.account()
    const [id, by] = [await daemon(accountId), await node()]
    await claim(by, connect(id))
    await release(by, id, 1)
    const standing = async () => (await presence((port) => port.standings([id])))[0]
    expect(await presence((port) => port.onlineOf([accountId]))).toEqual([])
    expect(await standing()).toMatchObject({ epoch: 1, node: null, revoked: false, accountDisabled: false })
    await sql("update accounts set disabled = true where id = $1", [accountId])
    expect(await standing()).toMatchObject({ revoked: false, accountDisabled: true })
    await daemons((port) => port.revoke(accountId, id))
    expect(await standing()).toMatchObject({ revoked: true })
  })
})
