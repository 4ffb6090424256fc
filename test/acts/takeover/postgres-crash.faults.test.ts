/** Postgres crashes under two nodes and comes back. Real processes. */
import { afterEach, beforeEach, expect, it } from "vitest"
import { type Nodes, startNodes } from "../../support/node-processes.ts"
import { ask, startPostgres, type TestPostgres } from "../../support/postgres-server.ts"
import { startRedis } from "../../support/redis-server.ts"
import { until } from "../../support/until.ts"
import { useStarted } from "../../support/use-started.ts"

const redis = useStarted(() => startRedis(), "test")
let postgres: TestPostgres
let hub: Nodes
beforeEach(async () => {
  postgres = (await startPostgres())!
  await ask(`${postgres.url}/postgres`, "create database hub")
  // however long the machine takes to start Postgres again, whoever comes back was never gone
  const node = { HUB_DISCONNECT_GRACE: "10m" }
  hub = await startNodes({ databaseUrl: `${postgres.url}/hub`, redisUrl: redis.url, nodes: [node, node] })
})
afterEach(async () => {
  await hub?.close()
  await postgres?.stop()
})

const both = [0, 1]
const readiness = async (node: number) => (await hub.ask(node, "GET", "/readyz")).status

it("Postgres that crashes and comes back costs what needs it, and neither a node, nor a daemon, nor an event that was acknowledged", async () => {
  const [here, there] = [await hub.daemon(0), await hub.daemon(1)]
  for (const one of [here, there]) await until("it came", () => hub.told(one).includes("connect"))
  await hub.webhook("/events")
  const unknownKey = await hub.makeKey()
  await until("the other node commands it", async () => (await hub.command(1, here)) === 200)
  let sent = 0
  const send = (): void => {
    for (const one of [here, there]) {
      const session = `p${sent++}`
      one.send({ id: session, session })
    }
  }
  for (let nth = 0; nth < 20; nth++) send()
  await until("some are acknowledged", () => here.acknowledged() > 0)
  await postgres.crash()

  for (const node of both) {
    await until("readiness is red", async () => (await readiness(node)) === 503)
    expect((await hub.ask(node, "GET", "/healthz")).status).toBe(200)
    const answer = await hub.ask(node, "GET", "/api/v1/daemons?include=offline", { bearer: unknownKey })
    expect(answer).toMatchObject({ status: 500, body: { reason: "INTERNAL" } })
  }
  const acknowledged = here.acknowledged() + there.acknowledged()
  for (let nth = 0; nth < 5; nth++) send()
  // a daemon that comes back meanwhile is not turned away for good
  there.cut()
  await until("its node has noticed", () => there.at() === undefined)

  await postgres.start()
  for (const node of both) await until("readiness is green", async () => (await readiness(node)) === 200)
  expect((await hub.ask(0, "GET", "/api/v1/daemons", { bearer: unknownKey })).status).toBe(200)
  await until("every event is acknowledged", () => here.waiting() + there.waiting() === 0)
  expect(here.acknowledged() + there.acknowledged()).toBeGreaterThan(acknowledged)
  const arrived = () => new Set(hub.receiver.at("/events").map(({ body }) => body.payload.targetSessionId))
  await until("every delivery has arrived", () =>
    Array.from({ length: sent }).every((_, at) => arrived().has(`p${at}`))
  )
  for (const node of both) {
    expect(hub.nodes[node]!.runs()).toBe(true)
    for (const one of [here, there])
      await until("it is commanded from anywhere", async () => (await hub.command(node, one)) === 200)
  }
  expect(here.closes()).toEqual([])
  for (const one of [here, there]) {
    one.leave()
    await until("it left", () => hub.told(one).includes("disconnect"))
    expect(hub.told(one)).toEqual(["connect", "disconnect"])
  }
})
