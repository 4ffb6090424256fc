/** The text of the metrics: what Prometheus reads. */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { attemptDurations, commandDurations, histograms, observe, seriesOf } from "../../../src/runtime/histograms.ts"
import { count, counters, gauges, levelOf, prometheus, watch } from "../../../src/runtime/metrics.ts"
import { watchProcess } from "../../../src/runtime/process-metrics.ts"
import { it } from "../../support/effect-test.ts"
import { readPrometheus } from "../../support/prometheus-text.ts"

const value = (name: string, series: string): number | undefined =>
  readPrometheus(prometheus()).get(name)?.samples.get(series)

describe("the text of the metrics", () => {
  it("names each counter and gauge with its type and help, also before anything is counted", () => {
    const families = readPrometheus(prometheus())
    for (const [type, names] of [["counter", counters] as const, ["gauge", gauges] as const]) {
      for (const [name, { help }] of Object.entries(names)) {
        expect(families.get(name), name).toMatchObject({ type, help })
        expect(families.get(name)!.samples.size, name).toBeGreaterThan(0)
      }
    }
  })

  it("begins the series of a short list of label values at 0, so that a rate sees the first event", () => {
    const { samples } = readPrometheus(prometheus()).get("hub_attempts_total")!
    for (const outcome of ["succeeded", "failed", "retry"])
      expect(samples.get(`hub_attempts_total{outcome="${outcome}"}`)).toBeGreaterThanOrEqual(0)
  })

  it("shows what is counted, by label", () => {
    const series = 'hub_requests_total{status="418"}'
    const before = value("hub_requests_total", series) ?? 0
    count("hub_requests_total", "418", 2)
    count("hub_requests_total", "418")
    expect(value("hub_requests_total", series)).toBe(before + 3)
  })

  it("adds up the readers of a gauge, and forgets one that is unregistered", () => {
    const before = value("hub_subscribers", "hub_subscribers")!
    const unwatch = [watch("hub_subscribers", () => 2), watch("hub_subscribers", () => 40)]
    expect(value("hub_subscribers", "hub_subscribers")).toBe(before + 42)
    unwatch[0]!()
    expect(value("hub_subscribers", "hub_subscribers")).toBe(before + 40)
    unwatch[1]!()
    expect(value("hub_subscribers", "hub_subscribers")).toBe(before)
  })
})

it("a gauge with a label shows each value of the label from the start, what is read and what is kept", () => {
  const series = (state: string) => value("hub_database_connections", `hub_database_connections{state="${state}"}`)
  const [busy, idle] = [series("busy")!, series("idle")!]
  const unwatch = watch("hub_database_connections", () => 3, "busy")
  levelOf("hub_database_connections", "idle").sum += 2
  expect([series("busy"), series("idle")]).toEqual([busy + 3, idle + 2])
  unwatch()
  levelOf("hub_database_connections", "idle").sum -= 2
  expect([series("busy"), series("idle")]).toEqual([busy, idle])
})

describe("the histograms", () => {
  it("are cumulative, with the sum and the count of what was observed", () => {
    const before = readPrometheus(prometheus()).get("hub_command_duration_seconds")!.samples
    for (const seconds of [0.0009, 0.03, 0.03, 100]) observe(commandDurations.succeeded, seconds)
    const { samples } = readPrometheus(prometheus()).get("hub_command_duration_seconds")!
    const grown = (suffix: string, rest = "") => {
      const series = `hub_command_duration_seconds_${suffix}{outcome="succeeded"${rest}}`
      return samples.get(series)! - before.get(series)!
    }
    expect(["0.001", "0.025", "0.05", "60", "+Inf"].map((le) => grown("bucket", `,le="${le}"`))).toEqual([
      1, 1, 3, 3, 4
    ])
    expect([grown("sum"), grown("count")]).toEqual([expect.closeTo(100.0609), 4])
  })

  it("of attempts have the outcomes that attempts are counted by", () =>
    expect(Object.keys(attemptDurations)).toEqual(["succeeded", "failed", "retry"]))

  it.effect("and what the process uses are documented, each by its name", function* () {
    yield* watchProcess
    for (const name of Object.keys(histograms)) seriesOf(name as "hub_request_duration_seconds", {})
    const families = readPrometheus(prometheus())
    const used = [...families.keys()].filter((name) => /^(?:nodejs|process)_/u.test(name))
    expect(used.length).toBe(14)
    const text = readFileSync("docs/metrics.md", "utf8")
    for (const name of [...used, ...Object.keys(histograms)]) {
      const shown =
        text.includes(name) || text.includes(name.replace(/^nodejs_eventloop_lag_(\w+)_seconds$/u, "…_$1_…"))
      expect(shown, name).toBe(true)
      expect(families.get(name)?.help, name).toMatch(/^[A-Z0-9]/u)
    }
  })

  it.effect("show what the process uses while it is watched", function* () {
    const isShown = () => readPrometheus(prometheus()).has("process_cpu_seconds_total")
    const before = isShown()
    yield* Effect.scoped(
      Effect.andThen(
        watchProcess,
        Effect.sync(() => expect(isShown()).toBe(true))
      )
    )
    expect(isShown()).toBe(before)
  })
})
