/**
 * `node test/acts/takeover/killed-node-program.ts 300 5`: kills one of three nodes with -9, round after round, and
 * prints how long its daemons took to be back elsewhere and to be commanded through a third node; ends with 1 if one
 * was falsely told gone.
 */
import { wait } from "../../support/hub-process.ts"
import { startNodes } from "../../support/node-processes.ts"
import { ask, startPostgres } from "../../support/postgres-server.ts"
import { startRoamers } from "../../support/reconnecting-fleet.ts"
import { startRedis } from "../../support/redis-server.ts"
import { enrol } from "../../support/rolling-restart.ts"
import { until } from "../../support/until.ts"

const [daemons = "300", rounds = "5"] = process.argv.slice(2)
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const pollMillis = 20

const postgres = await startPostgres()
if (postgres === undefined) throw new Error("this needs Postgres")
await ask(`${postgres.url}/postgres`, "create database hub")
const redis = await startRedis()
const standard = { HUB_DISCONNECT_GRACE: "15s" }
const nodes = [standard, standard, standard]
const hub = await startNodes({ databaseUrl: `${postgres.url}/hub`, redisUrl: redis.url, nodes })
const enrolled = await enrol(hub, Number(daemons))
const urls = hub.nodes.map(({ url }) => url)
const roamers = await startRoamers(
  urls,
  enrolled.map(({ token }) => token)
)
const told = (event: string): number => [...hub.events(`daemon:${event}`).values()].reduce((sum, one) => sum + one, 0)
await until("all have come", () => told("connect") === enrolled.length)

const commanded = async (node: number, at: number): Promise<number> => {
  const path = `/api/v1/daemons/${enrolled[at]!.daemonId}/command`
  const body = { type: "read_chat", payload: {} }
  for (;;) {
    const { status } = await hub.ask(node, "POST", path, { bearer: hub.key, body })
    if (status === 200) return performance.now()
    await wait(pollMillis)
  }
}

const most = (values: ReadonlyArray<number>): number => Math.round(Math.max(...values))
say("round\ttheirs\tback after kill, ms at most\tcommanded after coming back, ms at most")
for (let round = 0; round < Number(rounds); round++) {
  const doomed = round % hub.nodes.length
  const theirs = enrolled.flatMap((_, at) => (roamers.arrived(at).url === urls[doomed] ? [at] : []))
  const killedAt = performance.now()
  await hub.nodes[doomed]!.kill()
  const millis = await Promise.all(
    theirs.map(async (at) => {
      while (roamers.arrived(at).at < killedAt) await wait(pollMillis)
      const { at: backAt, url } = roamers.arrived(at)
      // through the survivor it is not on
      const other = urls.findIndex((one, node) => node !== doomed && one !== url)
      return [backAt - killedAt, (await commanded(other, at)) - backAt] as const
    })
  )
  say([round, theirs.length, most(millis.map(([one]) => one)), most(millis.map(([, two]) => two))].join("\t"))
  await hub.nodes[doomed]!.start()
}
// what was falsely taken for lost would be told within lease and grace
await wait(25_000)
const [connects, disconnects] = [told("connect") - enrolled.length, told("disconnect")]
say(`${rounds} kills: ${disconnects} false disconnects, ${connects} false connects`)
roamers.stop()
await hub.close()
await redis.close()
await postgres.stop()
process.exit(disconnects + connects === 0 ? 0 : 1)
