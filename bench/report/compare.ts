/**
 * From stretches to figures: medians of several runs, their spread, and ratios that only count throughput where the
 * server's core was busy. Owns the arithmetic; runs nothing.
 */

import type { Stretch } from "../fixture.ts"
import { against, atLeast, atMost, type Figure, shown } from "./figures.ts"

/** A throughput says what a server can do only from here on. */
const busyEnough = 0.95

/** The middle one, or the mean of the two in the middle. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** How far apart the outermost are, as a share of the median. */
export const spread = (values: ReadonlyArray<number>): number =>
  values.length < 2 ? 0 : (Math.max(...values) - Math.min(...values)) / median(values)

/**
 * Operations a second a server can do on its core: as measured where the core was busy, else what its CPU would allow.
 */
export const capacity = (of: Stretch): number =>
  of.busy >= busyEnough || !(of.cpuMicros > 0) ? of.perSecond : 1e6 / of.cpuMicros

/** Runs in which each server had its turn. */
export type Rounds<K extends string> = ReadonlyArray<Readonly<Record<K, Stretch>>>

const of = <K extends string>(rounds: Rounds<K>, name: K, value: (stretch: Stretch) => number): Array<number> =>
  rounds.map((round) => value(round[name]))

const busyOf = <K extends string>(rounds: Rounds<K>, name: K): number => median(of(rounds, name, ({ busy }) => busy))

/**
 * Which of the two measures of a server counts: its throughput where its core was busy or nothing is known of its CPU.
 */
const countsByCpu = <K extends string>(rounds: Rounds<K>, name: K): boolean => busyOf(rounds, name) < busyEnough

/** Operations a second a server can do, by the one measure that counts for all its runs. */
const capacities = <K extends string>(rounds: Rounds<K>, name: K): Array<number> =>
  of(rounds, name, ({ perSecond, cpuMicros }) => (countsByCpu(rounds, name) ? 1e6 / cpuMicros : perSecond))

/** Which measure counts on either side of a ratio, as sentences. */
export const whichCounts = <K extends string>(
  figure: string,
  rounds: Rounds<K>,
  names: Readonly<Record<K, string>>
): ReadonlyArray<string> =>
  (Object.entries(names) as Array<[K, string]>).map(([key, name]) => {
    const busy = busyOf(rounds, key) * 100
    if (!Number.isFinite(busy)) return `${figure}: the CPU of ${name} is not known here, its throughput counts`
    const measure = countsByCpu(rounds, key)
      ? "1 s / CPU per operation counts, not its throughput"
      : "throughput counts"
    return `${figure}: the core of ${name} was ${busy.toFixed(0)} % busy, its ${measure}`
  })

/** The hub's throughput as a share of another's. Where a core was not busy the unit says so: `/s by CPU`. */
export const rateRatio = <K extends string>(
  name: string,
  rounds: Rounds<K>,
  ours: K,
  base: K,
  goal: number
): Figure => {
  const value = capacities(rounds, ours)
  const unit = countsByCpu(rounds, ours) ? "/s by CPU" : "/s"
  return withSpread(against(name, median(value), median(capacities(rounds, base)), unit, ">=", goal), value)
}

/** The hub's CPU per operation as a multiple of another's. */
export const cpuRatio = <K extends string>(name: string, rounds: Rounds<K>, ours: K, base: K, goal: number): Figure => {
  const value = of(rounds, ours, ({ cpuMicros }) => cpuMicros)
  const other = median(of(rounds, base, ({ cpuMicros }) => cpuMicros))
  return withSpread(against(name, median(value), other, "µs", "<=", goal), value)
}

/** A median of several runs, only shown. */
export const middle = (name: string, values: ReadonlyArray<number>, unit: string): Figure =>
  withSpread(shown(name, median(values), unit), values)

/** The median where it is known: what the stores of a hub that runs already use is not. */
export const middleIfKnown = (name: string, values: ReadonlyArray<number>, unit: string): ReadonlyArray<Figure> =>
  values.every(Number.isFinite) ? [middle(name, values, unit)] : []

/** A median of several runs that must reach a goal. */
export const middleAtLeast = (name: string, values: ReadonlyArray<number>, unit: string, goal: number): Figure =>
  withSpread(atLeast(name, median(values), unit, goal), values)

/** A median of several runs that may reach a goal at most. */
export const middleAtMost = (name: string, values: ReadonlyArray<number>, unit: string, goal: number): Figure =>
  withSpread(atMost(name, median(values), unit, goal), values)

/**
 * How much more one server takes than another, of runs in which each had its turn: the median difference. One that is
 * smaller than the spread of its runs has no verdict.
 */
export const difference = (name: string, values: ReadonlyArray<number>, unit: string, goal?: number): Figure => {
  const value = median(values)
  const judged = goal === undefined ? shown(name, value, unit) : atMost(name, value, unit, goal)
  if (values.length < 2) return judged
  const margin = (Math.max(...values) - Math.min(...values)) / 2
  const { holds: _, ...unjudged } = judged
  return { ...(Math.abs(value) <= margin ? unjudged : judged), margin }
}

/** What a person wants to see beside a ratio: throughput, CPU, and how busy each server's core was. */
export const details = <K extends string>(rounds: Rounds<K>, names: Readonly<Record<K, string>>): Array<Figure> =>
  (Object.entries(names) as Array<[K, string]>).flatMap(([key, name]) => [
    middle(
      `${name}_per_s`,
      of(rounds, key, ({ perSecond }) => perSecond),
      "/s"
    ),
    middle(
      `${name}_cpu_us`,
      of(rounds, key, ({ cpuMicros }) => cpuMicros),
      "µs"
    ),
    middle(
      `${name}_busy`,
      of(rounds, key, ({ busy }) => busy * 100),
      "%"
    )
  ])

const withSpread = (figure: Figure, values: ReadonlyArray<number>): Figure =>
  values.length < 2 ? figure : { ...figure, spread: spread(values) }
