/**
 * One node that alone cannot reach Redis, while its daemons and Postgres can be reached: what they, its callers and the
 * webhook see of it. Owns that story and its three nodes; how the line is cut, its tests say.
 */
import { expect, onTestFinished } from "vitest"
import { freshDatabase } from "../../support/database.ts"
import { startFaultyLine } from "../../support/faulty-connection.ts"
import type { Where } from "../../support/hub-process.ts"
import { type Nodes, startNodes } from "../../support/node-processes.ts"
import { startRedis } from "../../support/redis-server.ts"
import { until } from "../../support/until.ts"

const [one, apart, doomed] = [0, 1, 2]

/** Node `doomed` is killed while node `apart` is cut off. */
export const partition = async (hub: Nodes, { cut, heal }: { readonly cut: () => void; readonly heal: () => void }) => {
  const [near, far, gone] = [await hub.daemon(one), await hub.daemon(apart), await hub.daemon(doomed)]
  const all = [near, far, gone]
  for (const daemon of all) await until("it came", () => hub.told(daemon).includes("connect"))
  await until("another node commands it", async () => (await hub.command(one, far)) === 200)

  cut()
  await until("it is on its own", async () => (await hub.command(apart, near)) === 503)
  // one that died after the line broke is found dead: by then so would be the one that lives
  await hub.nodes[doomed]!.kill()
  gone.stop()
  await until("the dead one's daemon is told of", () => hub.told(gone).includes("disconnect"))
  expect(await hub.command(apart, far)).toBe(200)
  expect(await hub.command(one, far)).toBe(503)
  expect(await hub.command(one, near)).toBe(200)
  expect(hub.told(far)).toEqual(["connect"])
  expect(far.closes()).toEqual([])

  heal()
  for (const daemon of [near, far]) {
    for (const node of [one, apart])
      await until("it is commanded from anywhere", async () => (await hub.command(node, daemon)) === 200)
    expect(daemon.closes()).toEqual([])
  }
  for (const daemon of [near, far]) {
    daemon.leave()
    await until("it left", () => hub.told(daemon).includes("disconnect"))
  }
  for (const daemon of all) expect(hub.told(daemon)).toEqual(["connect", "disconnect"])
}

/** Where the node that is cut off runs, if not beside the others. */
interface Aside {
  readonly where: Where
  /** The address of this machine at which it finds Postgres. */
  readonly postgresHost: string
}

/** Three nodes, of which one reaches Redis over a line of its own, from this address of this machine. */
export const startDivided = async (host: string, aside?: Aside) => {
  const redis = await startRedis()
  onTestFinished(redis.close)
  const database = await freshDatabase()
  onTestFinished(database.close)
  const databaseUrl = new URL(database.settings.databaseUrl!)
  const lineTo = async (url: string | URL, address: string) => {
    const line = await startFaultyLine(Number(new URL(url).port), { host: address })
    onTestFinished(line.close)
    return line
  }
  const line = await lineTo(redis.url, host)
  const own: Record<string, string> = { REDIS_URL: `redis://${host}:${line.port}/0` }
  if (aside !== undefined) {
    const toPostgres = await lineTo(databaseUrl, aside.postgresHost)
    own["DATABASE_URL"] = `postgres://postgres@${aside.postgresHost}:${toPostgres.port}${databaseUrl.pathname}`
    // its webhooks' receiver is on the loopback of the others
    own["HUB_WEBHOOK_ALLOW_CIDRS"] = "127.0.0.0/8"
  }
  const hub = await startNodes({
    databaseUrl: databaseUrl.href,
    redisUrl: redis.url,
    nodes: [{}, own, {}],
    where: (node) => (node === apart ? aside?.where : undefined)
  })
  onTestFinished(hub.close)
  return { hub, line }
}
