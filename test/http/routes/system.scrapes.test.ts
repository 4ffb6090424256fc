/** How many scrapes a node answers at a time, and what it says where the text of all workers is not to be had. */
import { Deferred, Effect } from "effect"
import { afterEach, expect, it } from "vitest"
import { systemRoutes } from "../../../http/routes/system.ts"
import { Overloaded } from "../../../src/errors.ts"
import { scrapesMax } from "../../../src/limits/workers.ts"
import { MetricsText } from "../../../src/runtime/metrics-text.ts"
import { Readiness } from "../../../src/runtime/readiness.ts"
import { startEdge, type TestEdge } from "../../support/edge.ts"
import { until } from "../../support/until.ts"

let edge: TestEdge | undefined
afterEach(() => edge?.close())

const serving = async (text: Effect.Effect<string, Overloaded>): Promise<string> => {
  const readiness = Readiness.of({ waitingFor: Effect.succeed([]), tell: () => undefined })
  const system = await Effect.runPromise(
    systemRoutes.pipe(Effect.provideService(Readiness, readiness), Effect.provideService(MetricsText, text))
  )
  edge = await startEdge({}, { system })
  return `${edge.url}/metrics`
}

it(`answers ${scrapesMax} scrapes at a time, one more with 503, and the next ones again`, async () => {
  const told = Deferred.makeUnsafe<string>()
  let begun = 0
  const url = await serving(
    Effect.suspend(() =>
      Effect.andThen(
        Effect.sync(() => begun++),
        Deferred.await(told)
      )
    )
  )
  const scrapes = Array.from({ length: scrapesMax }, () => fetch(url))
  await until("all are under way", () => begun === scrapesMax)
  const more = await fetch(url)
  expect([more.status, more.headers.get("retry-after")]).toEqual([503, "1"])
  Deferred.doneUnsafe(told, Effect.succeed("# all\n"))
  for (const answer of await Promise.all(scrapes)) expect(await answer.text()).toBe("# all\n")
  expect((await fetch(url)).status).toBe(200)
})

it("answers 503 rather than with the figures of a part where those of all workers are not told in time", async () => {
  const url = await serving(Effect.fail(new Overloaded({ retryAfter: 1 })))
  const answer = await fetch(url)
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ reason: "OVERLOADED" })
})
