/**
 * Plants faults in the product, one by one, and says which of them the simulation finds: `node
 * test/simulation/mutations.ts --seeds 60`. Owns the processes, one per fault; the files of the product stay as they
 * are. A world that never comes to rest is found too.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { mutations } from "./mutations/all-mutations.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "60" },
    from: { type: "string", default: "1" },
    only: { type: "string" },
    beside: { type: "string", default: "2" }
  }
})
const run = fileURLToPath(new URL("./run.ts", import.meta.url))
const millisMax = 300_000

interface Outcome {
  readonly found: boolean
  readonly words: string
}

const plant = (nth: number): Promise<Outcome> =>
  new Promise((resolve) => {
    const args = [
      "--no-warnings",
      run,
      "--stop",
      "--seeds",
      values.seeds,
      "--from",
      values.from,
      "--mutation",
      `${nth}`
    ]
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], timeout: millisMax })
    let text = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (bytes) => {
        text += String(bytes)
      })
    }
    child.on("close", (code) => {
      const violation = text.split("\n").find((line) => line.startsWith("seed "))
      if (code === 0) resolve({ found: false, words: "" })
      else resolve({ found: violation !== undefined, words: violation ?? `it ended with ${code}: ${text.slice(-400)}` })
    })
  })

const chosen = mutations.flatMap((mutation, nth) =>
  values.only === undefined || mutation.name.includes(values.only) ? [{ mutation, nth }] : []
)
let found = 0
const waiting = [...chosen]
const work = async (): Promise<void> => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const outcome = await plant(next.nth)
    if (outcome.found) found++
    console.log(`${outcome.found ? "found" : "NOT FOUND"}  ${next.mutation.name}  ${outcome.words}`)
  }
}
await Promise.all(Array.from({ length: Number(values.beside) }, work))
console.log(`${found} of ${chosen.length} faults are found`)
