/**
 * What nodes say of themselves in the database, and what it says of the daemons of one that may have missed a message.
 */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import { nodeLeaseMillis } from "../../../../src/limits/nodes.ts"
import { Nodes } from "../../../../src/store/daemons/nodes.ts"
import { useDatabaseClock } from "../../../support/database-clock.ts"
import { connect, usePresenceStore } from "./presence-store.ts"

const presence = usePresenceStore()
const { store } = presence
const nodes = store.using(Nodes)
const at = useDatabaseClock(store)
const others = (node: string) => nodes((port) => port.others(node))

it("nodes in the store are alive for as long as a lease after each heartbeat, by the database's clock, until they leave", async () => {
  const [one, other] = [newId("key"), newId("key")]
  const nodesAt = <A, E>(now: number, use: (port: Nodes["Service"]) => Effect.Effect<A, E>) =>
    store.run(Effect.flatten(at(now, Effect.flatMap(Nodes, use))))
  const beat = (now: number, node: string, onBus: boolean) => nodesAt(now, (port) => port.beat(node, onBus))
  const othersAt = (now: number) => nodesAt(now, (port) => port.others(one))
  const began = 1_790_000_000_000
  const over = began + nodeLeaseMillis
  expect(await beat(began, one, true)).toBe(true)
  await beat(began, other, false)
  const here = { node: other, alive: true, onBus: false }
  expect(await othersAt(over)).toEqual([here])
  expect(await othersAt(over + 1)).toEqual([{ ...here, alive: false }])
  expect(await beat(over + 1, other, true)).toBe(true)
  expect(await beat(over + 1 + nodeLeaseMillis, other, true)).toBe(false)
  expect(await othersAt(over + 1 + 2 * nodeLeaseMillis)).toEqual([{ ...here, onBus: true }])
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
