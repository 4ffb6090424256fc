/**
 * Does the unit of cost predict what parsing takes? Twenty-five shapes: the worst that one is dearer than its cost
 * says, as a multiple, and how long the scan takes that finds the cost.
 */
import type { BenchOptions, Outcome } from "../fixture.ts"
import { atMost, shown } from "../report/figures.ts"
import { runProgram } from "../servers/child.ts"

interface Measured {
  readonly name: string
  /** Per byte. */
  readonly cost: number
  readonly parseMillis: number
  readonly scanMillis: number
  readonly heldBytes: number
}

const scanMillisMax = 2
const factorMax = 2

/** What a shape is dearer than its cost says, where a MiB of cost takes as long as one of the shape in the middle. */
const factors = (measured: ReadonlyArray<Measured>): ReadonlyArray<readonly [name: string, factor: number]> => {
  const each = measured.map(({ name, cost, parseMillis }) => [name, parseMillis / cost] as const)
  const middle = each.map(([, perCost]) => perCost).toSorted((one, other) => one - other)[each.length >> 1]!
  return each.map(([name, perCost]) => [name, perCost / middle])
}

/** Runs the scenario, in a process of its own. */
export const cost = async (options: BenchOptions): Promise<Outcome> => {
  options.say("cost: twenty-five shapes")
  const size = options.tiny === true ? ["4096", "3"] : ["262144", "9"]
  const { measured } = (await runProgram("micro/cost-process.ts", size)) as unknown as {
    measured: ReadonlyArray<Measured>
  }
  const found = factors(measured)
  const [dearest, dearestFactor] = found.toSorted(([, one], [, other]) => other - one)[0]!
  const scan = Math.max(...measured.map(({ scanMillis }) => scanMillis))
  const held = Math.max(...measured.map(({ heldBytes, cost: of }) => heldBytes / of))
  return {
    figures: [
      atMost("cost_underestimate", dearestFactor, "x", factorMax),
      atMost("cost_memory_underestimate", held, "x", factorMax),
      atMost("cost_scan_ms_per_mib", scan, "ms", scanMillisMax),
      ...measured.map(({ name, parseMillis }) =>
        shown(`parse_${name.replaceAll(/[ ,]+/gu, "_")}_ms`, parseMillis, "ms")
      )
    ],
    notes: [
      `dearest beside its cost: ${dearest}`,
      ...measured.map(
        ({ name, cost: of, parseMillis, scanMillis, heldBytes }, at) =>
          `${name}: cost ${of.toFixed(2)} and ${parseMillis.toFixed(1)} ms a MiB (x ${found[at]![1].toFixed(2)}), scanned in ${scanMillis.toFixed(1)} ms, ${heldBytes.toFixed(1)} bytes held a byte`
      )
    ]
  }
}
