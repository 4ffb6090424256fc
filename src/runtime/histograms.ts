/**
 * The hub's histograms of durations, in seconds, and of sizes, as a closed list of names, help texts and bounds. Owns
 * their series in the registry of metrics.ts, whose exporters read them: an update through the registry took 2 % of a
 * request (`hub bench rest`).
 */
import { Metric } from "effect"
import { register } from "./metrics.ts"

/** The labels of a series. */
export type Labels = Readonly<Record<string, string>>

const fast = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const slow = [...fast, 30, 60]
/** Up to the age at which a delivery expires. */
const ages = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400]
const sizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]

export const histograms = {
  hub_request_duration_seconds: {
    help: "Time from a request's head to its answer, by route and class of status; live streams are not counted",
    boundaries: slow
  },
  hub_command_duration_seconds: {
    help: "Time from the acceptance of a command to its daemon's answer, by outcome",
    boundaries: slow
  },
  hub_attempt_duration_seconds: { help: "Time of an attempt of a delivery, by outcome", boundaries: slow },
  hub_delivery_age_seconds: {
    help: "Time from an event to the end of a delivery of it, by outcome; those that were sent again are not counted",
    boundaries: ages
  },
  hub_batch_entries: { help: "Entries written or answered together, by queue", boundaries: sizes },
  hub_batch_duration_seconds: { help: "Time of one such write or answer, by queue", boundaries: fast },
  hub_database_statement_duration_seconds: {
    help: "Time from a statement to its answer, by outcome",
    boundaries: slow
  },
  hub_database_wait_seconds: { help: "Time that a statement waited for its connection", boundaries: slow },
  hub_redis_call_duration_seconds: { help: "Time from a call of Redis to its answer, by outcome", boundaries: fast },
  nodejs_gc_duration_seconds: { help: "Time of a garbage collection, by kind", boundaries: fast }
} as const

/** One series of a histogram: how many amounts were up to each bound and above the one before, then those above all. */
export interface Series {
  readonly bounds: ReadonlyArray<number>
  readonly counts: Array<number>
  count: number
  sum: number
  min: number
  max: number
}

const all = new Map<string, Series>()

const stateOf = ({ bounds, counts, ...rest }: Series) => {
  let upTo = 0
  const buckets = bounds.map((bound, at): [number, number] => {
    upTo += counts[at]!
    return [bound, upTo]
  })
  return { ...rest, buckets }
}

/** The series with these labels, which the text of the metrics shows from now on. */
export const seriesOf = (name: keyof typeof histograms, labels: Labels): Series => {
  const key = `${name} ${JSON.stringify(labels)}`
  const known = all.get(key)
  if (known !== undefined) return known
  const { help, boundaries } = histograms[name]
  const counts = Array.from({ length: boundaries.length + 1 }, () => 0)
  const series: Series = { bounds: boundaries, counts, count: 0, sum: 0, min: Number.MAX_VALUE, max: -Number.MAX_VALUE }
  all.set(key, series)
  register(Metric.histogram(name, { description: help, boundaries, attributes: labels }), () => stateOf(series))
  return series
}

/** Adds a duration, or a size. */
export const observe = (series: Series, amount: number): void => {
  const { bounds, counts } = series
  let at = 0
  while (at < bounds.length && amount > bounds[at]!) at++
  counts[at]!++
  series.count++
  series.sum += amount
  if (amount < series.min) series.min = amount
  if (amount > series.max) series.max = amount
}

const byOutcome = <Outcome extends string>(name: keyof typeof histograms, outcomes: ReadonlyArray<Outcome>) =>
  Object.fromEntries(outcomes.map((outcome) => [outcome, seriesOf(name, { outcome })])) as Record<Outcome, Series>

/** Durations of commands that were answered. One that was not has no answer whose time counts. */
export const commandDurations = byOutcome("hub_command_duration_seconds", ["succeeded", "refused"])
export const attemptDurations = byOutcome("hub_attempt_duration_seconds", ["succeeded", "failed", "retry"])
/** Ages of deliveries that have ended. */
export const deliveryAges = byOutcome("hub_delivery_age_seconds", ["succeeded", "failed"])
export const statementDurations = byOutcome("hub_database_statement_duration_seconds", ["succeeded", "failed"])
/** Times that statements waited for a connection. */
export const connectionWaits = seriesOf("hub_database_wait_seconds", {})
/** Durations of calls of Redis. */
export const redisCallDurations = byOutcome("hub_redis_call_duration_seconds", ["succeeded", "failed"])
