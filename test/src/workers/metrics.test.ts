/** The metrics of several workers as one text: their labels, their order, and who does not answer. */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { workerMetricsCharsMax, workerMetricsMillisMax } from "../../../src/limits/workers.ts"
import { prometheus } from "../../../src/runtime/metrics.ts"
import { gatherMetrics, mergedMetrics } from "../../../src/workers/metrics.ts"
import { it } from "../../support/effect-test.ts"
import { readPrometheus } from "../../support/prometheus-text.ts"

const up = "# HELP hub_worker_up Whether a worker answered this scrape\n# TYPE hub_worker_up gauge\n"

describe("the metrics of several workers", () => {
  it("keep each family together, under one head, with the worker as a label of each series", () => {
    const one = '# HELP a_total A\n# TYPE a_total counter\na_total 1\n# HELP b B\n# TYPE b gauge\nb{x="{ }"} 2\n'
    const two = '# HELP b B\n# TYPE b gauge\nb{x="y"} 3\n# HELP a_total A\n# TYPE a_total counter\na_total 4\n'
    const texts = [
      { name: "1", text: one },
      { name: "2", text: two }
    ]
    expect(mergedMetrics(texts)).toBe(
      `${up}hub_worker_up{worker="1"} 1\nhub_worker_up{worker="2"} 1\n` +
        '# HELP a_total A\n# TYPE a_total counter\na_total{worker="1"} 1\na_total{worker="2"} 4\n' +
        '# HELP b B\n# TYPE b gauge\nb{worker="1",x="{ }"} 2\nb{worker="2",x="y"} 3\n'
    )
  })

  it("are a whole text of the format, of a real one too", () => {
    const own = readPrometheus(prometheus())
    const all = readPrometheus(mergedMetrics(["1", "2"].map((name) => ({ name, text: prometheus() }))))
    expect([...all.keys()].sort()).toEqual([...own.keys(), "hub_worker_up"].sort())
    for (const [name, { samples }] of own) expect(all.get(name)!.samples.size, name).toBe(2 * samples.size)
  })

  it.effect("are told without a worker that does not answer in time, and without one that is not there", function* () {
    const text = "# HELP a A\n# TYPE a gauge\na 1\n"
    const scrape = yield* Effect.forkChild(
      gatherMetrics([
        { name: "1", worker: { metrics: Effect.succeed(text) } },
        { name: "2", worker: { metrics: Effect.never } },
        { name: "3", worker: undefined }
      ]),
      { startImmediately: true }
    )
    yield* TestClock.adjust(workerMetricsMillisMax - 1)
    expect(scrape.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust(1)
    const { samples } = readPrometheus(yield* Fiber.join(scrape)).get("hub_worker_up")!
    expect([...samples.values()]).toEqual([1, 0, 0])
  })

  it.effect("are told without a worker whose text is too long", function* () {
    const metrics = Effect.succeed("#".repeat(workerMetricsCharsMax + 1))
    expect(yield* gatherMetrics([{ name: "1", worker: { metrics } }])).toBe(`${up}hub_worker_up{worker="1"} 0\n`)
  })
})
