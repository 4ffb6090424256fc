/**
 * The hub's histograms of durations, in seconds, and of sizes, as a closed list of names, help texts and bounds. Owns
 * their series in the registry of metrics.ts. An update costs 0.1 to 0.2 µs.
 */
import { Metric } from "effect"
import { registry } from "./metrics.ts"

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

/** One series of a histogram. */
export type Series = Metric.Histogram<number>

/** Makes a series, which the text of the metrics shows from now on. */
export const seriesOf = (name: keyof typeof histograms, labels: Labels): Series => {
  const { help, boundaries } = histograms[name]
  const metric = Metric.histogram(name, { description: help, boundaries, attributes: labels })
  metric.valueUnsafe(registry) // registers it
  return metric
}

/** Adds a duration, or a size. */
export const observe = (series: Series, amount: number): void => series.updateUnsafe(amount, registry)

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
