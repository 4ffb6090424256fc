/**
 * `node test/acts/stored-command/restarts-program.ts 2000 600 20`: so many commands that outlive their call stay
 * without a result for so many seconds on so many daemons, while two nodes are restarted one after the other, again
 * and again; then all end. Prints the counts; ends with 1 if a command was lost or sent twice.
 */
import { type DurableDaemon, startDurableDaemon } from "../../support/command-keeping-daemon.ts"
import { wait } from "../../support/hub-process.ts"
import { startNodes } from "../../support/node-processes.ts"
import { ask, startPostgres } from "../../support/postgres-server.ts"
import { startRedis } from "../../support/redis-server.ts"
import { until } from "../../support/until.ts"

const [commands = 2_000, seconds = 600, daemonCount = 20] = process.argv.slice(2).map(Number)
const secondsBetweenRestarts = 60
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const postgres = await startPostgres()
if (postgres === undefined) throw new Error("this needs Postgres")
await ask(`${postgres.url}/postgres`, "create database hub")
const redis = await startRedis()
const hub = await startNodes({ databaseUrl: `${postgres.url}/hub`, redisUrl: redis.url, nodes: [{}, {}] })

const daemons: Array<DurableDaemon & { readonly daemonId: string }> = []
for (let nth = 0; nth < daemonCount; nth++) {
  const { daemonId, token } = await hub.nodes[0]!.operate({ op: "token create", account: "nodes@example.org" })
  let next = nth
  const daemon = startDurableDaemon(() => hub.nodes[next++ % 2]!.url, String(token))
  await until("it is online", () => daemon.at() !== undefined)
  daemons.push({ ...daemon, daemonId: String(daemonId) })
}

const ids: Array<string> = []
const start = async (nth: number): Promise<void> => {
  const { daemonId } = daemons[nth % daemonCount]!
  const answer = await hub.ask(nth % 2, "POST", `/api/v1/daemons/${daemonId}/command`, {
    bearer: hub.key,
    body: { type: "screenshot", timeoutSeconds: 3_600 },
    headers: { prefer: "respond-async" }
  })
  if (answer.status !== 202) throw new Error(`command ${nth} was answered ${answer.status}`)
  ids.push(answer.body.commandId)
}
for (let nth = 0; nth < commands; nth += daemonCount)
  await Promise.all(Array.from({ length: Math.min(daemonCount, commands - nth) }, (_, at) => start(nth + at)))
say(`${ids.length} commands wait on ${daemonCount} daemons`)

const endsAt = performance.now() + seconds * 1_000
let restarts = 0
while (performance.now() < endsAt) {
  const node = restarts++ % 2
  await hub.nodes[node]!.stop()
  await until("all daemons are on the other node", () => daemons.every((one) => one.at() === hub.nodes[1 - node]!.url))
  await hub.nodes[node]!.start()
  say(`restart ${restarts}: ${daemons.reduce((sum, one) => sum + one.unacknowledged(), 0)} wait`)
  await wait(Math.max(0, Math.min(secondsBetweenRestarts * 1_000, endsAt - performance.now())))
}

for (const one of daemons) one.finish()
await until("every result is acknowledged", () => daemons.every((one) => one.unacknowledged() === 0))
const states = new Map<string, number>()
for (const id of ids) {
  const { state } = (await hub.ask(1, "GET", `/api/v1/commands/${id}`, { bearer: hub.key })).body
  states.set(state, (states.get(state) ?? 0) + 1)
}
const sent = daemons.flatMap((one) => [...one.sent.values()])
const twice = sent.filter((times) => times > 1).length
for (const one of daemons) one.stop()
await hub.close()
await redis.close()
await postgres.stop()
const lost = ids.length - (states.get("succeeded") ?? 0)
say(
  JSON.stringify({ commands: ids.length, restarts, states: Object.fromEntries(states), sent: sent.length, lost, twice })
)
process.exit(lost + twice + Math.abs(sent.length - ids.length) === 0 ? 0 : 1)
