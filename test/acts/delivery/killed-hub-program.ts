/**
 * `node test/acts/delivery/killed-hub-program.ts 50 embedded|postgres`: kills the hub with -9 at a random moment,
 * round after round, with 1,000 deliveries on their way to a receiver that dies too. Prints the counts of each round;
 * ends with 1 if anything was lost.
 */
import postgres, { ask } from "../../support/postgres-server.ts"
import { killWorld, type Round } from "./killed-hub.ts"

const rounds = Number(process.argv[2] ?? 50)
const kind = process.argv[3] ?? "embedded"
const say = (line: string): void => void process.stdout.write(`${line}\n`)

let server = ""
const provided = { provide: (_: string, url: string) => (server = url) }
const stop = kind === "postgres" ? await postgres(provided as never) : undefined
const databaseUrl = kind === "postgres" ? `${server}/kill` : undefined
if (databaseUrl !== undefined) await ask(`${server}/postgres`, "create database kill")

const columns: ReadonlyArray<keyof Round> = [
  "round",
  "events",
  "acknowledgedAtKill",
  "sentAgain",
  "arrivedAtKill",
  "receiverDeaths",
  "arrived",
  "repeated",
  "millis",
  "lost",
  "strangers"
]
const world = await killWorld(databaseUrl)
const all: Array<Round> = []
say(columns.join("\t"))
for (let number = 1; number <= rounds; number++) {
  const round = await world.round(number)
  all.push(round)
  say(columns.map((column) => round[column]).join("\t"))
}
await world.close()
await stop?.()
const total = (column: keyof Round): number => all.reduce((sum, round) => sum + round[column], 0)
say(
  `${rounds} rounds on ${kind}: ${total("arrived")} deliveries arrived, ${total("repeated")} more than once, ` +
    `${total("sentAgain")} events sent again, ${total("lost")} lost, ${total("strangers")} under a second id`
)
process.exit(total("lost") + total("strangers") === 0 ? 0 : 1)
