/**
 * `node test/acts/drain/rolling-restart-program.ts 2000 200 3 kept|fresh`: a rolling restart of so many nodes with so
 * many daemons and commands a second. Prints the counts; ends with 1 if a command failed or a daemon was falsely told
 * gone.
 */
import { startNodes } from "../../support/node-processes.ts"
import { ask, startPostgres } from "../../support/postgres-server.ts"
import { startRedis } from "../../support/redis-server.ts"
import { rollingRestart } from "../../support/rolling-restart.ts"

const [daemons = "2000", perSecond = "200", count = "3", connections = "kept"] = process.argv.slice(2)
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const postgres = await startPostgres()
if (postgres === undefined) throw new Error("this needs Postgres")
await ask(`${postgres.url}/postgres`, "create database hub")
const redis = await startRedis()
// the grace and all else as they are by default
const standard = { HUB_DISCONNECT_GRACE: "15s" }
const hub = await startNodes({
  databaseUrl: `${postgres.url}/hub`,
  redisUrl: redis.url,
  nodes: Array.from({ length: Number(count) }, () => standard)
})
const rolled = await rollingRestart(hub, {
  daemons: Number(daemons),
  perSecond: Number(perSecond),
  kept: connections === "kept",
  patient: true,
  say
})
await hub.close()
await redis.close()
await postgres.stop()
const { calls, codes, falselyGone, falselyBack } = rolled
const failed = calls.asked - calls.succeeded
say(JSON.stringify(rolled, undefined, 2))
say(
  `${count} nodes, ${daemons} daemons, ${perSecond} commands/s over ${connections} connections: ${calls.asked} commands, ` +
    `${failed} failed, ${calls.refused} refused connections, ${falselyGone} false disconnects, ${falselyBack} false connects`
)
process.exit(failed + falselyGone + falselyBack === 0 && codes.every((code) => code === 0) ? 0 : 1)
