/**
 * Runs the worlds of many seeds on products in each of which one fault is planted: `node
 * test/simulation/mutations/mutant-process.ts --nths 3,4,5 --seeds 60`. Owns one line per fault, which run-mutations.ts
 * reads.
 */
import { parseArgs } from "node:util"
import { print } from "../../../src/cli/print.ts"
import { hookModules } from "../replaced/module-hooks.ts"
import { mutations } from "./all-mutations.ts"

const { values } = parseArgs({
  options: {
    nths: { type: "string", default: "" },
    seeds: { type: "string", default: "60" },
    from: { type: "string", default: "1" }
  }
})
hookModules(mutations)
const [seeds, from] = [Number(values.seeds), Number(values.from)]

for (const nth of values.nths.split(",")) {
  const world = `../simulation.ts?product=${nth}`
  const { runSeed } = (await import(world)) as typeof import("../simulation.ts")
  const own = mutations[Number(nth)]?.seed
  const tried = [...(own === undefined ? [] : [own]), ...Array.from({ length: seeds }, (_, at) => from + at)]
  let words = ""
  for (const seed of tried) {
    if (words !== "") break
    const { violations } = runSeed(seed)
    if (violations.length > 0) words = `seed ${seed}: ${violations[0]}`
  }
  print(`${nth} ${words}`)
}
