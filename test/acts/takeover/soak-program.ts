/**
 * `node test/acts/takeover/soak-program.ts 600 [seed [words]]`: faults drawn from the seed befall three nodes, their
 * Postgres and their Redis for so many seconds; only those whose name has the words in it, if any are given. Prints
 * what befell them and the counts; ends with 1 if anything that must hold did not.
 */
import { randomInt } from "node:crypto"
import { soak } from "./soak/soak.ts"

const [seconds = "600", seed = String(randomInt(1_000_000)), only = ""] = process.argv.slice(2)
const say = (line: string): void => void process.stdout.write(`${line}\n`)

// what is started and mounted goes with the process
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))
say(`seed ${seed}`)
const soaked = await soak({ seconds: Number(seconds), seed: Number(seed), only, say })
say(JSON.stringify(soaked, undefined, 2))
say(`${soaked.wrongs.length} wrong`)
process.exit(soaked.wrongs.length === 0 ? 0 : 1)
