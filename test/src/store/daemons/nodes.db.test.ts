/**
 * What nodes say of themselves in the database, and what it says of the daemons of one that may have missed a message.
 */
import { expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import { nodeLeaseMillis } from "../../../../src/limits/nodes.ts"
import { Nodes } from "../../../../src/store/daemons/nodes.ts"
import { useStore } from "../../../support/store-services.ts"

const store = useStore(Nodes.layer)
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
  expect(await others(one)).toEqual([{ ...here, alive: false }])
})
