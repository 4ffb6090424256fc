/**
 * Plants faults in the product, one by one, and says which of them the simulation finds: `node
 * test/simulation/mutations.ts --seeds 60`. Owns the processes, each with a part of the faults; the files of the product
 * stay as they are. A product that hangs is found too: its process is ended, and another goes on behind it.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { mutations } from "./mutations/all-mutations.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "60" },
    from: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    processes: { type: "string", default: "2" },
    silence: { type: "string", default: "600" }
  }
})
const plant = fileURLToPath(new URL("./plant.ts", import.meta.url))
const hung = "the product hangs"
let found = 0

const tell = (nth: number, words: string): void => {
  if (words !== "") found++
  console.log(`${words === "" ? "NOT FOUND" : "found"}  ${mutations[nth]!.name}  ${words}`)
}

/** Plants these in one process; returns those behind the one at which it hung. */
const work = (nths: ReadonlyArray<number>): Promise<ReadonlyArray<number>> =>
  new Promise((resolve) => {
    const args = ["--no-warnings", plant, "--nths", nths.join(), "--seeds", values.seeds, "--from", values.from]
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
    const left = [...nths]
    let text = ""
    const watchdog = setInterval(() => child.kill("SIGKILL"), Number(values.silence) * 1_000)
    child.stdout.on("data", (bytes) => {
      text += String(bytes)
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        const [nth, words] = text.slice(0, end).split("\t")
        text = text.slice(end + 1)
        left.shift()
        tell(Number(nth), words ?? "")
        watchdog.refresh()
      }
    })
    child.on("close", () => {
      clearInterval(watchdog)
      const stuck = left.shift()
      if (stuck !== undefined) tell(stuck, hung)
      resolve(left)
    })
  })

const chosen = mutations.flatMap(({ name }, nth) => (name.includes(values.only) ? [nth] : []))
const processes = Number(values.processes)
await Promise.all(
  Array.from({ length: processes }, async (_, at) => {
    let left: ReadonlyArray<number> = chosen.filter((_, nth) => nth % processes === at)
    while (left.length > 0) left = await work(left)
  })
)
console.log(`${found} of ${chosen.length} faults are found`)
