/**
 * A node is killed with many daemons on it, which come back at once or stay away. Real processes. With more:
 * HUB_TEST_DAEMONS. How soon, the bench says.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import { enrol } from "../../support/node-processes.ts"
import { onNodes } from "../../support/own-node-processes.ts"
import { type Roamers, startRoamers } from "../../support/reconnecting-fleet.ts"
import { sizeOf } from "../../support/run-sizes.ts"
import { longPatienceMillis, until } from "../../support/until.ts"

const daemons = sizeOf("DAEMONS", 2_000)
const atOnce = 16
/** So many take a while to come back, where the machine does other things too. */
const node = { HUB_DISCONNECT_GRACE: "30s" }

onNodes(`a node that is killed with ${daemons} daemons`, { nodes: [node, node] }, (hub) => {
  let ids: ReadonlyArray<string>
  let roamers: Roamers
  beforeAll(async () => {
    const enrolled = await enrol(hub, daemons)
    ids = enrolled.map(({ daemonId }) => daemonId)
    roamers = await startRoamers(
      [hub.nodes[0]!.url],
      enrolled.map(({ token }) => token)
    )
  })
  afterAll(() => roamers?.stop())

  const told = (event: string): ReadonlyMap<string, number> => hub.events(`daemon:${event}`)
  const toldEach = (event: string, times: number) =>
    until(
      `each ${event} is told`,
      () => {
        const counts = told(event)
        return ids.every((id) => counts.get(id) === times)
      },
      longPatienceMillis
    )

  /** All answer a command through this node. */
  const commanded = async (node: number): Promise<void> => {
    const left = [...ids]
    const caller = async (): Promise<void> => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) {
        const path = `/api/v1/daemons/${id}/command`
        const asked = { bearer: hub.key, body: { type: "read_chat", payload: {} } }
        await until("it is commanded", async () => (await hub.ask(node, "POST", path, asked)).status === 200)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, caller))
  }

  it("has none of them told gone when they come back at once, and each answers through every node", async () => {
    await toldEach("connect", 1)
    roamers.turnTo([hub.nodes[1]!.url])
    await hub.nodes[0]!.kill()
    const areBack = () => ids.every((_, at) => roamers.at(at) === hub.nodes[1]!.url)
    await until("all are back", areBack, longPatienceMillis)
    await commanded(1)
    await hub.nodes[0]!.start()
    await commanded(0)
    expect(told("disconnect").size).toBe(0)
  })

  it("has each told gone once when they stay away, and each told again as it comes", async () => {
    roamers.turnTo([])
    await hub.nodes[1]!.kill()
    await toldEach("disconnect", 1)
    roamers.turnTo([hub.nodes[0]!.url])
    await toldEach("connect", 2)
    await commanded(0)
    roamers.leave()
    await toldEach("disconnect", 2)
    expect([...told("connect").values()].every((times) => times === 2)).toBe(true)
  })
})
