/**
 * What a virtual machine's host takes away: time in which a core had work and was not let run. Owns the reading of it;
 * no figure is corrected by it, since the affected operations are unknown.
 */
import { readFileSync } from "node:fs"

/** Ticks of all cores since the machine started: all that passed, and those the host took. */
export interface CoreTime {
  readonly all: number
  readonly stolen: number
}

/** Below this share of the time nothing is said. */
const stealShareMin = 0.02
const stealColumn = 7
/** Guest time, which comes after it, is already in the columns before. */
const columns = 8

/** Reads the `cpu` line of proc(5) `stat`. */
export const readCoreTime = (stat: string): CoreTime => {
  const ticks = (/^cpu +(.*)$/mu.exec(stat)?.[1] ?? "").split(" ").map(Number).slice(0, columns)
  return { all: ticks.reduce((sum, one) => sum + one, 0), stolen: ticks[stealColumn] ?? 0 }
}

/** The time of all cores until now; undefined where the system does not tell. */
export const coreTime = (): CoreTime | undefined => {
  try {
    return readCoreTime(readFileSync("/proc/stat", "utf8"))
  } catch {
    return undefined
  }
}

/**
 * The sentence that belongs beside figures measured between two readings, if the host took enough to be seen in them.
 */
export const stealNote = (from: CoreTime | undefined, to: CoreTime | undefined): ReadonlyArray<string> => {
  if (from === undefined || to === undefined || to.all <= from.all) return []
  const share = (to.stolen - from.stolen) / (to.all - from.all)
  if (share < stealShareMin) return []
  return [
    `the host of this machine took ${(share * 100).toFixed(0)} % of its cores' time meanwhile: latencies may be its`
  ]
}
