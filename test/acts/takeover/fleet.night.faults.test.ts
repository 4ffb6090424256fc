/** A node is killed with many daemons on it: what becomes of them, and how soon. Real processes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { databaseMissing } from "../../support/database.ts"
import type { Nodes } from "../../support/node-processes.ts"
import { startOwnNodes } from "../../support/own-node-processes.ts"
import { type Roamers, startRoamers } from "../../support/reconnecting-fleet.ts"
import { hasRedis } from "../../support/redis-server.ts"
import { enrol } from "../../support/rolling-restart.ts"
import { until } from "../../support/until.ts"

const daemons = 2_000
/** From the kill until the last of them is told gone: a lease of 5 s, a grace of 3 s, and the deliveries. */
const goneMillisMax = 20_000
/** From the kill until the last of them is back on the other node and answers a command. */
const backMillisMax = 20_000
const atOnce = 16
const patience = { timeout: 300_000 }

describe.runIf(hasRedis && !databaseMissing)(`a node that is killed with ${daemons} daemons`, patience, () => {
  let hub: Nodes
  let ids: ReadonlyArray<string>
  let roamers: Roamers
  beforeAll(async () => {
    hub = await startOwnNodes([{}, {}])
    const enrolled = await enrol(hub, daemons)
    ids = enrolled.map(({ daemonId }) => daemonId)
    roamers = await startRoamers(
      [hub.nodes[0]!.url],
      enrolled.map(({ token }) => token)
    )
  }, patience.timeout)
  afterAll(async () => {
    roamers?.stop()
    await hub?.close()
  })

  const told = (event: string): ReadonlyMap<string, number> => hub.events(`daemon:${event}`)
  const toldEach = (event: string, times: number) =>
    until(`each ${event} is told`, () => {
      const counts = told(event)
      return ids.every((id) => counts.get(id) === times)
    })

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

  it(`has none of them told gone when they come back at once, and each answers within ${backMillisMax} ms`, async () => {
    await toldEach("connect", 1)
    roamers.turnTo([hub.nodes[1]!.url])
    const killed = performance.now()
    await hub.nodes[0]!.kill()
    await until("all are back", () => ids.every((_, at) => roamers.arrived(at).at > killed))
    await commanded(1)
    expect(performance.now() - killed).toBeLessThan(backMillisMax)
    await hub.nodes[0]!.start()
    await commanded(0)
    expect(told("disconnect").size).toBe(0)
  })

  it(`has each told gone once when they stay away, within ${goneMillisMax} ms, and each told again as it comes`, async () => {
    roamers.turnTo([])
    const killed = performance.now()
    await hub.nodes[1]!.kill()
    await toldEach("disconnect", 1)
    expect(performance.now() - killed).toBeLessThan(goneMillisMax)
    roamers.turnTo([hub.nodes[0]!.url])
    await toldEach("connect", 2)
    await commanded(0)
    roamers.leave()
    await toldEach("disconnect", 2)
    expect([...told("connect").values()].every((times) => times === 2)).toBe(true)
  })
})
