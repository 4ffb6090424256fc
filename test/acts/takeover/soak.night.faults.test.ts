/**
 * Faults of every kind befall three nodes, their Postgres and their Redis one after the other, while events and
 * commands go on. Real processes. For longer, with other faults: HUB_TEST_SOAK_SECONDS and `--seed`; with some of them
 * only: HUB_TEST_FAULTS="Postgres".
 */
import { expect, it } from "vitest"
import { sizeOf } from "../../support/run-sizes.ts"
import { faults } from "./soak/faults.ts"
import { type Soaked, soak } from "./soak/soak.ts"

const seconds = sizeOf("SOAK_SECONDS", 60)
const seed = sizeOf("SEED", 20_261)
const only = process.env["HUB_TEST_FAULTS"] ?? ""
const say = (line: string): void => void process.stderr.write(`soak: ${line}\n`)

it(`${seconds} s of faults, one after the other (seed ${seed}) loses no event and no command, runs none twice, tells each time online once, and leaves every node healthy`, async () => {
  const soaked: Soaked = await soak({ seconds, seed, only, say })
  expect(soaked.wrongs).toEqual([])
  const befell = new Set([...Object.keys(soaked.befell), ...soaked.leftOut.map((line) => line.split(":")[0]!)])
  expect(faults.filter(({ name }) => name.includes(only) && !befell.has(name))).toEqual([])
  // something was harmed, and something served
  expect(soaked.events).toBeGreaterThan(0)
  expect(soaked.answers["202"]).toBeGreaterThan(0)
  expect(soaked.answers["200"]).toBeGreaterThan(0)
})
