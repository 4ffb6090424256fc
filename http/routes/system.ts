/** The routes for operators: health, readiness, metrics. Owns no state. */
import { Effect } from "effect"
import { MetricsText } from "../../src/runtime/metrics-text.ts"
import { Readiness } from "../../src/runtime/readiness.ts"
import type { System } from "../api/system.ts"
import type { Routes } from "../pipeline/action.ts"
import { Answer, json } from "../pipeline/response.ts"

const alive = Effect.succeed({ status: "alive" as const })
const figures = [["content-type", "text/plain; version=0.0.4; charset=utf-8"]] as const

/** The routes of `System`. */
export const systemRoutes = Effect.gen(function* () {
  const readiness = yield* Readiness
  const metrics = yield* MetricsText
  const routes: Routes<typeof System> = {
    health: () => alive,
    ready: () =>
      Effect.map(readiness.waitingFor, (waitingFor) =>
        waitingFor.length === 0
          ? { status: "ready" as const, waitingFor }
          : json(503, { status: "not ready", waitingFor }, [["retry-after", "1"]])
      ),
    metrics: () => Effect.map(metrics, (text) => new Answer(200, figures, text))
  }
  return routes
})
