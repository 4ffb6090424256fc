/**
 * 500 inputs of the bench scenario fuzz against one hub; at night, of another seed too, forty times as many; other
 * ones: `./hub bench fuzz`.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Surface, surfaces } from "../../../bench/fuzz/findings.ts"
import type { FuzzedHub } from "../../../bench/fuzz/health.ts"
import { KnownValues } from "../../../bench/fuzz/http/known-values.ts"
import { readContract } from "../../../bench/fuzz/http/operations.ts"
import type { Making } from "../../../bench/fuzz/http/request-inputs.ts"
import { httpInput } from "../../../bench/fuzz/http/surface.ts"
import { playSurface, startFuzzedHub } from "../../../bench/fuzz/run.ts"
import { atNight } from "../../support/run-sizes.ts"
import { useDatabase } from "../../support/use-started.ts"

const seeds = atNight ? [20_261_124, 20_261_125] : [20_261_124]
const times = atNight ? 20 : 1
/** Inputs of each seed. */
const shares: Readonly<Record<Surface, number>> = { rest: 250 * times, socket: 150 * times, registry: 100 * times }
/** What depends on when this process collects its garbage: the bench judges it. */
const memory = /(?:heap|resident set) grew/u

describe("no input breaks the hub", () => {
  const database = useDatabase()
  let fuzzed: FuzzedHub & { readonly stop: () => Promise<void> }
  beforeAll(async () => {
    fuzzed = await startFuzzedHub({ settings: { HUB_DATA_DIR: database.settings.dataDir! } })
  })
  afterAll(() => fuzzed?.stop())

  it.each(surfaces)("on the surface %s", async (surface) => {
    const inputs = shares[surface]
    const { tally } = await playSurface(fuzzed, surface, { seeds, first: 0, inputs, accounts: 1, say: () => {} })
    expect({ seeds, told: tally.told.filter((one) => !memory.test(one)) }).toEqual({ seeds, told: [] })
    expect(tally.inputs).toBe(seeds.length * inputs)
    expect(tally.ends.size).toBeGreaterThan(3)
  })

  it("every operation of the contract is asked, in order and out of order", async () => {
    const contract = await readContract(fuzzed.hub.url)
    const making: Making = { contract, operations: contract.operations, known: new KnownValues(), host: "h" }
    const [asked, sure] = [new Set<string>(), new Set<string>()]
    for (let index = 0; index < 5_000; index++) {
      const { of, operation } = httpInput(making, "rest", seeds[0]!, index)
      asked.add(of)
      if (operation !== undefined) sure.add(operation.id)
    }
    const all = contract.operations.map(({ id }) => id)
    expect(all.filter((id) => !asked.has(id) || !sure.has(id))).toEqual([])
  })

  it("an input is the same each time it is drawn, and another seed gives another one", async () => {
    const contract = await readContract(fuzzed.hub.url)
    const making = (): Making => ({ contract, operations: contract.operations, known: new KnownValues(), host: "h" })
    const drawn = (seed: number) =>
      Array.from({ length: 200 }, (_, index) => httpInput(making(), "rest", seed, index).bytes.toString("latin1"))
    expect(drawn(7)).toEqual(drawn(7))
    expect(drawn(7)).not.toEqual(drawn(8))
  })
})
