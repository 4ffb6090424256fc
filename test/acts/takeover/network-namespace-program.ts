/**
 * `node test/acts/takeover/network-namespace-program.ts`: one node in a network namespace of its own, whose link to
 * Redis goes down while its links to Postgres, callers and daemons stay. Prints what happened when; without the right
 * to make namespaces it says so and ends.
 */
import { execFileSync } from "node:child_process"
import { startFaultyLine } from "../../support/faulty-connection.ts"
import { startNodes } from "../../support/node-processes.ts"
import { ask, startPostgres } from "../../support/postgres-server.ts"
import { startRedis } from "../../support/redis-server.ts"
import { partition } from "./partition.ts"

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const ip = (words: string): void => void execFileSync("ip", words.split(" "), { stdio: "pipe" })
const name = `hub${process.pid % 10_000}`
/** One link for Redis, one for all else: [link here, address here, address inside]. */
const [forRedis, forRest] = [
  [`${name}r`, "10.201.1.1", "10.201.1.2"],
  [`${name}p`, "10.201.2.1", "10.201.2.2"]
] as const

try {
  ip(`netns add ${name}`)
} catch (error) {
  say(`skipped: no network namespaces here (${String((error as { stderr?: Buffer }).stderr).trim()})`)
  process.exit(0)
}
process.once("exit", () => {
  try {
    ip(`netns del ${name}`)
  } catch {
    say(`the namespace ${name} could not be removed`)
  }
})
for (const [link, here, inside] of [forRedis, forRest]) {
  ip(`link add ${link} type veth peer name ${link}i netns ${name}`)
  ip(`addr add ${here}/24 dev ${link}`)
  ip(`link set ${link} up`)
  ip(`-n ${name} addr add ${inside}/24 dev ${link}i`)
  ip(`-n ${name} link set ${link}i up`)
}
ip(`-n ${name} link set lo up`)

const postgres = await startPostgres()
if (postgres === undefined) throw new Error("this needs Postgres")
await ask(`${postgres.url}/postgres`, "create database hub")
const redis = await startRedis()
const lineOf = (url: string, host: string) => startFaultyLine(Number(new URL(url).port), { host })
const redisLine = await lineOf(redis.url, forRedis[1])
const postgresLine = await lineOf(postgres.url, forRest[1])
const own = {
  REDIS_URL: `redis://${forRedis[1]}:${redisLine.port}/0`,
  DATABASE_URL: `postgres://postgres@${forRest[1]}:${postgresLine.port}/hub`,
  // its webhooks' receiver is on the loopback of the others
  HUB_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8"
}
const hub = await startNodes({
  databaseUrl: `${postgres.url}/hub`,
  redisUrl: redis.url,
  nodes: [{}, own, {}],
  where: (node) => (node === 1 ? { inside: ["ip", "netns", "exec", name], host: forRest[2] } : undefined)
})
const began = performance.now()
let failed: unknown
try {
  await partition(hub, {
    cut: () => ip(`link set ${forRedis[0]} down`),
    heal: () => ip(`link set ${forRedis[0]} up`),
    say: (what) => say(`${((performance.now() - began) / 1_000).toFixed(1)} s  ${what}`)
  })
  say("no daemon was falsely told gone; each was told once")
} catch (error) {
  failed = error
  say(String(error))
}
await hub.close()
for (const line of [redisLine, postgresLine]) await line.close()
await redis.close()
await postgres.stop()
process.exit(failed === undefined ? 0 : 1)
