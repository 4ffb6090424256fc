/**
 * Plants faults in the product, one by one, and says which of them the simulation finds: `node
 * test/simulation/mutations/run-mutations.ts --seeds 60`. Owns the processes, each with a few of the faults; the files
 * of the product stay as they are. A fault that something else in the product masks is counted apart. A product that
 * hangs is found too: its process is ended, and another goes on behind it.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { print } from "../../../src/cli/print.ts"
import { mutations } from "./all-mutations.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "60" },
    from: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    processes: { type: "string", default: "2" },
    /** Minutes after which a process with its faults hangs. */
    patience: { type: "string", default: "20" }
  }
})
const plant = fileURLToPath(new URL("./mutant-process.ts", import.meta.url))
const faultsPerProcess = 8
const hung = "the product hangs"
const sums = { found: 0, masked: 0, "NOT FOUND": 0 }

const tell = (nth: number, words: string): void => {
  const { name, masked } = mutations[nth]!
  const outcome = words !== "" ? "found" : masked === undefined ? "NOT FOUND" : "masked"
  sums[outcome]++
  print(`${outcome}  ${name}  ${words || (masked ?? "")}`)
}

/** Plants these in one process; returns those behind the one at which it hung. */
const work = (nths: ReadonlyArray<number>): Promise<ReadonlyArray<number>> =>
  new Promise((resolve) => {
    const args = ["--no-warnings", plant, "--nths", nths.join(), "--seeds", values.seeds, "--from", values.from]
    const timeout = Number(values.patience) * 60_000
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "inherit"],
      timeout,
      killSignal: "SIGKILL"
    })
    const left = [...nths]
    let text = ""
    child.stdout.on("data", (bytes) => {
      text += String(bytes)
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        const line = text.slice(0, end)
        text = text.slice(end + 1)
        const space = line.indexOf(" ")
        left.shift()
        tell(Number(line.slice(0, space)), line.slice(space + 1))
      }
    })
    child.on("close", (code) => {
      const stuck = left.shift()
      // one that was not ended from here met an error: a fault without its place is none that was found
      if (stuck !== undefined) tell(stuck, code === null ? hung : "")
      resolve(left)
    })
  })

const chosen = mutations.flatMap(({ name }, nth) => (name.includes(values.only) ? [nth] : []))
if (chosen.length === 0) throw new Error(`no fault has ${values.only} in its name`)
const waiting = [...chosen]
await Promise.all(
  Array.from({ length: Number(values.processes) }, async () => {
    while (waiting.length > 0) {
      let left: ReadonlyArray<number> = waiting.splice(0, faultsPerProcess)
      while (left.length > 0) left = await work(left)
    }
  })
)
print(
  `${sums.found} of ${chosen.length} faults are found, ${sums.masked} are masked, ${sums["NOT FOUND"]} are not found`
)
if (sums["NOT FOUND"] > 0) process.exitCode = 1
