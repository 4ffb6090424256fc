/** The text of the metrics: what Prometheus reads. */
import { describe, expect, it } from "vitest"
import { count, counters, gauges, prometheus, watch } from "../../../src/runtime/metrics.ts"
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
    expect([...samples.keys()]).toEqual(
      ["succeeded", "failed", "retry"].map((outcome) => `hub_attempts_total{outcome="${outcome}"}`)
    )
  })

  it("shows what is counted, by label", () => {
    const series = 'hub_requests_total{status="418"}'
    expect(value("hub_requests_total", series)).toBeUndefined()
    count("hub_requests_total", "418", 2)
    count("hub_requests_total", "418")
    expect(value("hub_requests_total", series)).toBe(3)
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
