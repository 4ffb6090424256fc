/**
 * The hub's histograms of durations, in seconds, as a closed list of names, help texts and bounds. Owns their series in
 * the registry of metrics.ts. An update costs 0.1 to 0.2 µs.
 */
import { Metric } from "effect"
import { registry } from "./metrics.ts"

/** The labels of a series. */
export type Labels = Readonly<Record<string, string>>

const fast = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const slow = [...fast, 30, 60]

/** Histograms. */
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

/** Adds a duration. */
export const observe = (series: Series, seconds: number): void => series.updateUnsafe(seconds, registry)

const byOutcome = <Outcome extends string>(name: keyof typeof histograms, outcomes: ReadonlyArray<Outcome>) =>
  Object.fromEntries(outcomes.map((outcome) => [outcome, seriesOf(name, { outcome })])) as Record<Outcome, Series>

/** Durations of commands that were answered. One that was not has no answer whose time counts. */
export const commandDurations = byOutcome("hub_command_duration_seconds", ["succeeded", "refused"])
/** Durations of attempts. */
export const attemptDurations = byOutcome("hub_attempt_duration_seconds", ["succeeded", "failed", "retry"])
