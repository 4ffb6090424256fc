/**
 * One node that alone cannot reach Redis, while its daemons and Postgres can be reached: what they, its callers and the
 * webhook see of it. Real processes; the line is stalled by a proxy, and where this user may make network namespaces,
 * by the loss of the link to one.
 */
import { execFileSync } from "node:child_process"
import { describe, expect, it, onTestFinished } from "vitest"
import { databaseMissing, freshDatabase } from "../../support/database.ts"
import { startFaultyLine } from "../../support/faulty-connection.ts"
import { type Nodes, startNodes } from "../../support/node-processes.ts"
import { processPatience } from "../../support/own-node-processes.ts"
import { hasRedis, startRedis } from "../../support/redis-server.ts"
import { until } from "../../support/until.ts"

const [one, apart, doomed] = [0, 1, 2]

/** Node `doomed` is killed while node `apart` is cut off. */
const partition = async (hub: Nodes, { cut, heal }: { readonly cut: () => void; readonly heal: () => void }) => {
  const [near, far, gone] = [await hub.daemon(one), await hub.daemon(apart), await hub.daemon(doomed)]
  const all = [near, far, gone]
  for (const daemon of all) await until("it came", () => hub.told(daemon).includes("connect"))
  expect(await hub.command(one, far)).toBe(200)

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
    for (const node of [one, apart]) {
      await until("it is commanded from anywhere", async () => (await hub.command(node, daemon)) === 200)
    }
    expect(daemon.closes()).toEqual([])
  }
  for (const daemon of [near, far]) {
    daemon.leave()
    await until("it left", () => hub.told(daemon).includes("disconnect"))
  }
  for (const daemon of all) expect(hub.told(daemon)).toEqual(["connect", "disconnect"])
}

const ip = (words: string): void => void execFileSync("ip", words.split(" "), { stdio: "pipe" })
const namespace = `hub${process.pid % 10_000}`
/** One link for Redis, one for all else: [link here, address here, address inside]. */
const [forRedis, forRest] = [
  [`${namespace}r`, "10.201.1.1", "10.201.1.2"],
  [`${namespace}p`, "10.201.2.1", "10.201.2.2"]
] as const

/** Whether there is a namespace now, which is there until the test ends. */
const makeNamespace = (): boolean => {
  try {
    ip(`netns add ${namespace}`)
  } catch {
    return false
  }
  onTestFinished(() => ip(`netns del ${namespace}`))
  for (const [link, here, inside] of [forRedis, forRest]) {
    ip(`link add ${link} type veth peer name ${link}i netns ${namespace}`)
    ip(`addr add ${here}/24 dev ${link}`)
    ip(`link set ${link} up`)
    ip(`-n ${namespace} addr add ${inside}/24 dev ${link}i`)
    ip(`-n ${namespace} link set ${link}i up`)
  }
  ip(`-n ${namespace} link set lo up`)
  return true
}

/** Three nodes, of which one reaches Redis and Postgres over lines of its own, from this address of this machine. */
const startDivided = async (host: string, inside?: string) => {
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
  if (inside !== undefined) {
    const toPostgres = await lineTo(databaseUrl, forRest[1])
    own["DATABASE_URL"] = `postgres://postgres@${forRest[1]}:${toPostgres.port}${databaseUrl.pathname}`
    // its webhooks' receiver is on the loopback of the others
    own["HUB_WEBHOOK_ALLOW_CIDRS"] = "127.0.0.0/8"
  }
  const hub = await startNodes({
    databaseUrl: databaseUrl.href,
    redisUrl: redis.url,
    nodes: [{}, own, {}],
    where: (node) =>
      node === apart && inside !== undefined ? { inside: ["ip", "netns", "exec", namespace], host: inside } : undefined
  })
  onTestFinished(hub.close)
  return { hub, line }
}

describe.runIf(hasRedis && !databaseMissing)("a node without Redis among nodes that have it", processPatience, () => {
  it("keeps its daemons, of whom nobody is told that they are gone, and is part of the hub again afterwards", async () => {
    const { hub, line } = await startDivided("127.0.0.1")
    await partition(hub, { cut: line.stall, heal: line.mend })
  })

  it("does so too when it is its link to Redis that is down", async ({ skip }) => {
    if (!makeNamespace()) return skip("there is no right to make network namespaces")
    const { hub } = await startDivided(forRedis[1], forRest[2])
    const [cut, heal] = [() => ip(`link set ${forRedis[0]} down`), () => ip(`link set ${forRedis[0]} up`)]
    await partition(hub, { cut, heal })
  })
})
