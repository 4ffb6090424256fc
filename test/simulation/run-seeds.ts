/**
 * Runs the worlds of many seeds: `node test/simulation/run-seeds.ts --seeds 10000 --from 1`. Owns the command line and
 * what it says: `--list 7,9` runs those, `--course` shows the course of each seed that fails, `--digests` that of each
 * as a digest, `--stop` ends with the first that fails.
 */
import { parseArgs } from "node:util"
import { print } from "../../src/cli/print.ts"
import { hookModules } from "./replaced/module-hooks.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "300" },
    from: { type: "string", default: "1" },
    list: { type: "string" },
    course: { type: "boolean", default: false },
    digests: { type: "boolean", default: false },
    stop: { type: "boolean", default: false }
  }
})
hookModules()
const { runSeed } = await import("./simulation.ts")

const [seeds, from] = [Number(values.seeds), Number(values.from)]
const began = performance.now()
const totals: Record<string, number> = {}
const failing: Array<number> = []
let steps = 0
let ran = 0
const chosen = values.list?.split(",").map(Number) ?? Array.from({ length: seeds }, (_, nth) => from + nth)
for (const seed of chosen) {
  const verdict = runSeed(seed, { course: values.course })
  ran++
  if (values.digests) print(`digest ${seed} ${verdict.digest}`)
  steps += verdict.steps
  for (const [what, times] of Object.entries(verdict.counts)) totals[what] = (totals[what] ?? 0) + times
  if (verdict.violations.length === 0) continue
  failing.push(seed)
  print(`seed ${seed}: ${verdict.violations.join("\n  ")}`)
  if (values.course) print(verdict.course.map((line) => `    ${line}`).join("\n"))
  if (values.stop) break
}
const seconds = (performance.now() - began) / 1_000
if (!values.stop) print(JSON.stringify(totals, null, 2))
print(
  `${ran} seeds in ${seconds.toFixed(1)} s: ${(ran / seconds).toFixed(1)} seeds/s, ` +
    `${Math.round(steps / seconds)} steps/s, ${failing.length} failing${failing.length > 0 ? `: ${failing.join(" ")}` : ""}`
)
process.exitCode = failing.length > 0 ? 1 : 0
