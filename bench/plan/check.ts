/**
 * The model beside a measured crowd: what it reckons for so many daemons, nodes and commands, and what they took. Owns
 * that comparison; measures nothing.
 */
import { type Figure, within } from "../report/figures.ts"
import type { Records } from "../report/record.ts"
import { reasonOf, UsageError } from "../usage-error.ts"
import { bytesOn, coresOn, type Load } from "./capacity.ts"
import { type Units, unitScenarios, unitsOf } from "./units.ts"

/** How far the model may be off, as a share. */
const offMax = 0.25

/** What a crowd took, all nodes together. */
export interface Taken {
  readonly nodes: number
  readonly daemons: number
  /** Commands a second. */
  readonly commands: number
  readonly cores: number
  readonly megabytes: number
}

/** The unit costs on record; or, as a sentence, why there are none. */
const known = (records: Records): Units | string => {
  try {
    return unitsOf(records)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return `left out what the model reckons: ${reasonOf(error)}`
  }
}

/** The figures of the comparison. There is no verdict where the unit costs are of another machine than this. */
export const besideModel = (
  { nodes, daemons, commands, cores, megabytes }: Taken,
  records: Records,
  machine: string
): { readonly figures: ReadonlyArray<Figure>; readonly notes: ReadonlyArray<string> } => {
  const units = known(records)
  if (typeof units === "string") return { figures: [], notes: [units] }
  const load: Load = { daemons, commands, events: 0, deliveries: 0, requests: 0 }
  const figures = [
    within("crowd_cores_vs_model", cores, coresOn(nodes, load, units), "cores", offMax),
    within("crowd_memory_vs_model", megabytes, bytesOn(nodes, load, units) / 1e6, "MB", offMax)
  ]
  const others = new Set(unitScenarios.map((name) => records[name]!.machine).filter((one) => one !== machine))
  if (others.size === 0) return { figures, notes: [] }
  return {
    figures: figures.map(({ holds: _, ...figure }) => figure),
    notes: [`the model's unit costs were measured elsewhere (${[...others].join("; ")}): it is not judged here`]
  }
}
