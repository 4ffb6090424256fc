/** Who is online, on which node: claims, releases and takeovers, each with its deliveries, in a real database. */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import { nodeLeaseMillis } from "../../../../src/limits/nodes.ts"
import { Daemons } from "../../../../src/store/daemons/daemons.ts"
import { Nodes } from "../../../../src/store/daemons/nodes.ts"
import { type ClaimRequest, PresenceStore } from "../../../../src/store/daemons/presence.ts"
import { Webhooks } from "../../../../src/store/webhooks/webhooks.ts"
import { databaseMissing } from "../../../support/database.ts"
import { snapshot } from "../../../support/snapshots.ts"
import { useStore } from "../../../support/store.ts"

describe.skipIf(databaseMissing)("presence in the store", () => {
  const store = useStore(Layer.mergeAll(PresenceStore.layer, Nodes.layer, Daemons.layer, Webhooks.layer))
  const presence = <A, E>(use: (port: PresenceStore["Service"]) => Effect.Effect<A, E>) =>
    store.run(Effect.flatMap(PresenceStore, use))
  const sql = (text: string, values: ReadonlyArray<unknown>) =>
    store.run(Effect.flatMap(SqlClient.SqlClient, (client) => client.unsafe<{ id: string }>(text, [...values])))

  const node = async (): Promise<string> => {
    const name = newId("key")
    await store.run(Effect.flatMap(Nodes, (nodes) => nodes.beat(name, true)))
    return name
  }
  const kill = (name: string) =>
    sql("update nodes set seen_at = seen_at - $2 where node = $1", [name, nodeLeaseMillis + 1])
  const daemon = async (accountId: string): Promise<string> => {
    const tokenHash = createHash("sha256").update(newId("key")).digest("hex")
    const enrolment = { accountId, daemonId: undefined, tokenHash, name: "", now: 5 }
    return (await store.run(Effect.flatMap(Daemons, (port) => port.enrol(enrolment))))!
  }
  const webhook = async (accountId: string): Promise<string> => {
    const id = newId("webhook")
    await sql(
      "insert into webhooks (id, account_id, url, events, active, created_at, updated_at, secret) values ($1, $2, 'https://example.org', '{*}', true, 0, 0, '\\x00')",
      [id, accountId]
    )
    return id
  }
  const delivery = (webhookId: string, event = "daemon:connect") => ({
    id: newId("delivery"),
    webhookId,
    event,
    body: "{}",
    createdAt: 7,
    dedupe: undefined
  })
  const connect = (daemonId: string, more: Partial<ClaimRequest> = {}): ClaimRequest => ({
    daemonId,
    epoch: undefined,
    tokenHash: undefined,
    begins: true,
    at: 100,
    deliveries: [],
    ...more
  })
  const claim = async (by: string, ...requests: ReadonlyArray<ClaimRequest>) => {
    const { claimed, deliveryIds } = await presence((port) => port.claim(by, requests, 4))
    return { first: claimed.get(requests[0]!.daemonId), claimed, deliveryIds }
  }
  const release = (
    by: string,
    daemonId: string,
    epoch: number,
    deliveries: ReadonlyArray<ReturnType<typeof delivery>> = [],
    at = 400
  ) => presence((port) => port.release(by, [{ daemonId, epoch, at, reason: "timeout", code: 1006, deliveries }], 4))
  const deliveriesOf = async (webhookId: string) =>
    (await sql("select event as id from deliveries where webhook_id = $1 order by created_at, id", [webhookId])).map(
      ({ id }) => id
    )
  const placeOf = async (daemonId: string) => (await presence((port) => port.places([daemonId])))[0]?.node

  it("begins a time online with the deliveries of its connect, and goes on without them until it has ended", async () => {
    const accountId = await store.account()
    const [id, wants, by, other] = [await daemon(accountId), await webhook(accountId), await node(), await node()]
    expect(await placeOf(id)).toBeNull()
    const [first, second, third] = [delivery(wants), delivery(wants), delivery(wants)]
    const began = await claim(by, connect(id, { deliveries: [first] }))
    expect(began.first).toMatchObject({ epoch: 1, since: 100, began: true, from: undefined, stored: undefined })
    expect([...began.deliveryIds]).toEqual([first.id])
    const back = await claim(by, connect(id, { at: 200, deliveries: [second] }))
    expect(back.first).toMatchObject({ epoch: 2, since: 100, began: false, from: undefined })
    expect([...back.deliveryIds]).toEqual([])
    const moved = await claim(other, connect(id, { at: 300, deliveries: [third] }))
    expect(moved.first).toMatchObject({ epoch: 3, since: 100, began: false, from: by, stored: { daemonId: id } })
    expect(await deliveriesOf(wants)).toEqual(["daemon:connect"])
    expect(await placeOf(id)).toBe(other)
  })

  it("ends it once, by its newest connection on its node only, with the deliveries of its disconnect", async () => {
    const accountId = await store.account()
    const [id, wants, by, other] = [await daemon(accountId), await webhook(accountId), await node(), await node()]
    await claim(by, connect(id))
    await claim(by, connect(id))
    const end = () => [delivery(wants, "daemon:disconnect")]
    expect((await release(by, id, 1, end())).ended.size).toBe(0)
    expect((await release(other, id, 2, end())).ended.size).toBe(0)
    const ended = await release(by, id, 2, end())
    expect([[...ended.ended], ended.deliveryIds.size]).toEqual([[id], 1])
    const told = "select last_end_reason as reason, last_close_code as code from daemon_presence where daemon_id = $1"
    expect(await sql(told, [id])).toEqual([{ reason: "timeout", code: 1_006 }])
    expect((await release(by, id, 2, end())).ended.size).toBe(0)
    expect(await deliveriesOf(wants)).toEqual(["daemon:disconnect"])
    expect(await placeOf(id)).toBeNull()
    expect((await claim(other, connect(id, { at: 900 }))).first).toMatchObject({ epoch: 3, since: 900, began: true })
  })

  it("begins no time online before the last one ended, and says when that was", async () => {
    const accountId = await store.account()
    const [id, wants, by] = [await daemon(accountId), await webhook(accountId), await node()]
    await claim(by, connect(id))
    await release(by, id, 1, [], 700)
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

  it("states a connection again only while no newer one has come, and begins nothing unless it may", async () => {
    const accountId = await store.account()
    const [id, by, heir] = [await daemon(accountId), await node(), await node()]
    await claim(by, connect(id))
    const again = (begins: boolean, epoch = 1) => claim(by, connect(id, { epoch, begins, at: 500 }))
    await kill(by)
    expect(await presence((port) => port.takeOver(heir, by, 10, false))).toMatchObject([{ daemonId: id, epoch: 1 }])
    await node()
    await store.run(Effect.flatMap(Nodes, (nodes) => nodes.beat(by, true)))
    expect((await again(false)).first).toMatchObject({ epoch: 1, since: 100, began: false, from: heir })
    await release(by, id, 1)
    expect((await again(false)).first).toBeUndefined()
    expect((await again(true)).first).toMatchObject({ epoch: 1, since: 500, began: true })
    await claim(heir, connect(id))
    expect((await again(true)).first).toBeUndefined()
    expect(await placeOf(id)).toBe(heir)
  })

  it("takes over a dead node's daemons in steps, from a live one nothing, and forgets the node with the last", async () => {
    const accountId = await store.account()
    const [by, heir] = [await node(), await node()]
    const ids = await Promise.all([1, 2, 3].map(() => daemon(accountId)))
    await claim(by, ...ids.map((id) => connect(id)))
    await store.run(
      Effect.flatMap(Daemons, (port) =>
        port.saveSnapshots([snapshot([], { daemonId: ids[0]!, accountId, hostname: "box", epoch: 1 })])
      )
    )
    const step = () => presence((port) => port.takeOver(heir, by, 2, false))
    expect(await step()).toEqual([])
    await kill(by)
    const taken = [...(await step()), ...(await step())]
    expect(taken.map(({ daemonId }) => daemonId)).toEqual([...ids].sort())
    expect(taken.find(({ daemonId }) => daemonId === ids[0])).toMatchObject({
      hostname: "box",
      online: true,
      connectedAt: 100
    })
    expect(await step()).toEqual([])
    expect(await sql("select from nodes where node = $1", [by])).toEqual([])
    const held = await presence((port) => port.heldBy(heir, "", 2))
    expect(held.map(({ daemonId }) => daemonId)).toEqual([...ids].sort().slice(0, 2))
    await expect(claim(by, connect(ids[0]!))).rejects.toMatchObject({ _tag: "StoreFailed" })
  })

  it("knows nobody of an id it never had, and lists who of an account is online", async () => {
    const accountId = await store.account()
    const [by, one, other] = [await node(), await daemon(accountId), await daemon(accountId)]
    expect((await claim(by, connect(newId("daemon")))).claimed.size).toBe(0)
    await claim(by, connect(one))
    expect(await presence((port) => port.onlineOf([accountId]))).toEqual([{ daemonId: one, accountId, node: by }])
    expect(await presence((port) => port.standings([one, other, newId("daemon")]))).toEqual(
      expect.arrayContaining([
        { daemonId: one, epoch: 1, node: by, revoked: false, accountDisabled: false, ownerTags: null },
        { daemonId: other, epoch: 0, node: null, revoked: false, accountDisabled: false, ownerTags: null }
      ])
    )
  })

  it("gives one of two nodes that claim at once the higher number, and begins one time online, whoever comes first", async () => {
    const accountId = await store.account()
    const [one, other] = [await node(), await node()]
    const ids = await Promise.all(Array.from({ length: 20 }, () => daemon(accountId)))
    const requests = ids.map((id) => connect(id))
    const both = await Promise.all([claim(one, ...requests), claim(other, ...requests.toReversed())])
    for (const id of ids) {
      const found = both.map(({ claimed }) => claimed.get(id)!)
      expect(found.map(({ epoch }) => epoch).sort()).toEqual([1, 2])
      expect(found.filter(({ began }) => began).map(({ epoch }) => epoch)).toEqual([1])
    }
  })
})
