/** An account that is disabled from the command line, on a hub of two nodes, while Redis is away. */
import { join } from "node:path"
import { expect, it } from "vitest"
import { openEventStream } from "../../support/event-stream.ts"
import { command } from "../../support/hub-command.ts"
import { startNodes } from "../../support/node-processes.ts"
import { until } from "../../support/until.ts"
import { useDatabase, useRedis, useStarted } from "../../support/use-started.ts"

const email = "nodes@example.org"

const redis = useRedis()
const database = useDatabase()
const hub = useStarted(() =>
  startNodes({ databaseUrl: database.settings.databaseUrl!, redisUrl: redis.url, nodes: [{}, {}], within: true })
)

/** From a data folder in which no hub runs: the command works on the store itself. */
const account = async (what: "disable" | "enable") => {
  const { code } = await command(["account", what, email], {
    DATABASE_URL: database.settings.databaseUrl!,
    REDIS_URL: redis.url,
    HUB_DATA_DIR: join(database.settings.dataDir, "elsewhere"),
    HUB_SECRET_KEY: Buffer.alloc(32, 7).toString("base64")
  })
  expect(code).toBe(0)
}
const statuses = () =>
  Promise.all([0, 1].map(async (node) => (await hub.ask(node, "GET", "/api/v1/me", { bearer: hub.key })).status))
const untilStatuses = (status: number) =>
  until(`both nodes answer ${status}`, async () => (await statuses()).every((one) => one === status))

it("an account that is disabled by a command beside the nodes ends at once on both nodes while Redis is away, and comes back when it is enabled", async () => {
  const daemons = [await hub.daemon(0), await hub.daemon(1)]
  const streams = await Promise.all(
    hub.nodes.map(({ url }) => openEventStream(`${url}/api/v1/events`, { authorization: `Bearer ${hub.key}` }))
  )
  await until("all came", () => hub.events("daemon:connect").size >= daemons.length)
  await untilStatuses(200)
  await redis.kill()
  await account("disable")
  for (const daemon of daemons) await until("it is closed", () => daemon.closes().includes(4_423))
  for (const stream of streams) await until("the stream ends", () => stream.ended())
  await untilStatuses(401)
  const told = hub.receiver.at().length
  for (const [nth, daemon] of daemons.entries()) daemon.send({ id: `e${nth}`, session: "s1" })
  expect(daemons.map((daemon) => [daemon.closes(), daemon.acknowledged()])).toEqual([
    [[4_423], 0],
    [[4_423], 0]
  ])
  expect(hub.receiver.at().length).toBe(told)
  await account("enable")
  await untilStatuses(200)
  for (const daemon of daemons) await until("its event is taken", () => daemon.acknowledged() === 1)
  await until("both are told", () => hub.receiver.at().filter(({ body }) => body.event === "agent:stopped").length >= 2)
  for (const daemon of daemons) daemon.stop()
})
