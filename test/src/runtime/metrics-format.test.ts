/** The text of the metrics is what Effect's own, slower formatter writes. */
import { Context, Metric } from "effect"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import { describe, expect, it } from "vitest"
import { histograms, observe, seriesOf } from "../../../src/runtime/histograms.ts"
import { prometheus, registry } from "../../../src/runtime/metrics.ts"
import { formatMetrics } from "../../../src/runtime/metrics-format.ts"
import { anyText, fc, forAll } from "../../support/properties.ts"

const fresh = () => Context.make(Metric.MetricRegistry, new Map())
const both = (context: Context.Context<never>) => [formatMetrics(Metric.snapshotUnsafe(context)), formatUnsafe(context)]

describe("the text of the metrics", () => {
  it("is Effect's, byte for byte, for all that the hub has", () => {
    for (const name of Object.keys(histograms)) {
      const series = seriesOf(name as "hub_request_duration_seconds", { route: "/a", status: "2xx" })
      for (const seconds of [0, 0.003, 7, 1e9]) observe(series, seconds)
    }
    expect(prometheus()).toBe(formatUnsafe(registry))
  })

  it("is Effect's for any value and any text of a label", () =>
    forAll(
      30,
      fc.string({ unit: fc.oneof(fc.constantFrom("\n", "\\", '"'), anyText()) }),
      fc.double(),
      fc.double({ min: 0, noNaN: true }),
      (text, level, size) => {
        const context = fresh()
        const attributes = { one: text, two: "x" }
        Metric.gauge("level", { description: "A level", attributes }).updateUnsafe(level, context)
        Metric.counter("sum_total", { description: "A sum", attributes }).updateUnsafe(size, context)
        Metric.counter("plain_total", { description: "A sum" }).updateUnsafe(1, context)
        for (const labels of [{}, attributes])
          Metric.histogram("size", { description: "Sizes", boundaries: [1, 2.5], attributes: labels }).updateUnsafe(
            size,
            context
          )
        const [ours, theirs] = both(context)
        expect(ours).toBe(theirs)
      }
    ))

  it("is empty for nothing, and refuses a kind that the hub has none of", () => {
    expect(both(fresh())).toEqual(["", ""])
    const context = fresh()
    Metric.frequency("words").updateUnsafe("a", context)
    expect(() => formatMetrics(Metric.snapshotUnsafe(context))).toThrow("words is a Frequency")
  })
})
