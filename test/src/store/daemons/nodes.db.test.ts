/**
 * What nodes say of themselves in the database, and what it says of the daemons of one that may have missed a message.
 */
import { expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import { nodeLeaseMillis } from "../../../../src/limits/nodes.ts"
import { Nodes } from "../../../../src/store/daemons/nodes.ts"
import { connect, usePresenceStore } from "./presence-store.ts"

const presence = usePresenceStore()
const { store } = presence
const nodes = store.using(Nodes)
const sql = (text: string, values: ReadonlyArray<unknown> = []) => store.sql<{ node: string }>(text, values)
/** As if so much time had passed since its last beat. */
const age = (node: string, millis: number) =>
  sql("update nodes set seen_at = seen_at - $2 where node = $1", [node, millis])
const others = (node: string) => nodes((port) => port.others(node))

it("nodes in the store are alive for as long as a lease after each heartbeat, by the database's clock, until they leave", async () => {
  const [one, other] = [newId("key"), newId("key")]
  expect(await nodes((port) => port.beat(one, true))).toBe(true)
  await nodes((port) => port.beat(other, false))
  const here = { node: other, alive: true, onBus: false }
  expect(await others(one)).toEqual([here])
  await age(other, nodeLeaseMillis + 1)
  expect(await others(one)).toEqual([{ ...here, alive: false }])
  expect(await nodes((port) => port.beat(other, true))).toBe(true)
  expect(await nodes((port) => port.beat(other, true))).toBe(false)
  expect(await others(one)).toEqual([{ ...here, onBus: true }])
  await nodes((port) => port.leave(other))
  expect(await others(one)).toEqual([])
})

it("a node that leaves while it holds a daemon is seen as dead, and one that holds none not at all", async () => {
  const [one, other] = [await presence.node(), await presence.node()]
  const daemonId = await presence.daemon(await store.account())
  const { first } = await presence.claim(other, connect(daemonId))
  await nodes((port) => port.leave(other))
  const seen = async () => (await others(one)).filter(({ node }) => node === other)
  expect(await seen()).toEqual([{ node: other, alive: false, onBus: false }])
  await presence.beat(other)
  await presence.release(other, daemonId, first!.epoch)
  await nodes((port) => port.leave(other))
  expect(await seen()).toEqual([])
})
