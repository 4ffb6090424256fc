/** How long the text of the metrics can become: every route in every class of status, every value of every label. */
import { HttpApi } from "effect/http-api"
import { expect, it } from "vitest"
import { Api } from "../../../http/api/api.ts"
import type { CallRecord } from "../../../http/pipeline/call-record.ts"
import { timing } from "../../../http/pipeline/observers.ts"
import { Answer } from "../../../http/pipeline/response.ts"
import { workerMetricsCharsMax } from "../../../src/limits/workers.ts"
import type { Label } from "../../../src/runtime/metric-labels.ts"
import { type CounterName, counters, prometheus, sumOf } from "../../../src/runtime/metrics.ts"

it("the text of the metrics has at most 15,000 lines, a tenth of what a worker may tell", () => {
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path } }) => {
      const { end } = timing(() => 1, { method, path })
      const call = { startedAt: 0 } as CallRecord
      for (const status of [100, 200, 304, 404, 503]) end(call, new Answer(status, [], undefined))
    }
  })
  const labelled = Object.entries<{ readonly help: string; readonly label?: Label }>(counters)
  for (const [name, { label }] of labelled)
    for (const value of [...(label?.values ?? []), "nobody knows this one", "nor this one"])
      sumOf(name as CounterName, value as "")
  const text = prometheus()
  expect(text).not.toContain("nobody knows")
  expect(text.split("\n").length).toBeLessThan(15_000)
  expect(text.split("\n").length).toBeGreaterThan(6_000)
  expect(text.length).toBeLessThan(workerMetricsCharsMax / 10)
})
