/** Spans on their way to a receiver that takes them, is slow, refuses or is away. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { defaultSettings } from "../../../src/config.ts"
import {
  spansPerRequestMax,
  spansRequestMillisMax,
  spansSentMillis,
  spansWaitingMax
} from "../../../src/limits/tracing.ts"
import { counted } from "../../../src/runtime/metrics.ts"
import { type ExportTarget, exportTarget, readPairs } from "../../../src/tracing/export-target.ts"
import { makeExporter } from "../../../src/tracing/otlp-exporter.ts"
import type { EndedSpan } from "../../../src/tracing/span.ts"
import { it } from "../../support/effect-test.ts"
import { until } from "../../support/until.ts"
import { type Receiver, startReceiver } from "../../support/webhook-receiver.ts"

const target = (url: string, format: ExportTarget["format"] = "json"): ExportTarget => ({
  url,
  headers: { "x-key": "k" },
  format,
  serviceName: "hub",
  attributes: { "deployment.environment": "test" }
})
const span: EndedSpan = {
  name: "a span",
  kind: "server",
  context: { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", sampled: true, state: "" },
  parentId: undefined,
  startedAt: 1n,
  endedAt: 2n,
  attributes: { "http.route": "/x", "http.response.status_code": 200 },
  failed: false
}
const dropped = (why: string) => counted("hub_spans_dropped_total", why)
const receiver = Effect.acquireRelease(
  Effect.promise(() => startReceiver()),
  (one) => Effect.promise(() => one.close())
)
const came = (one: Receiver, many: number) =>
  Effect.promise(() => until("the spans come", () => one.at("/v1/traces").length === many))
const round = TestClock.adjust(spansSentMillis)
const spansIn = (text: string) => JSON.parse(text).resourceSpans[0].scopeSpans[0].spans as ReadonlyArray<unknown>

describe("spans that ended", () => {
  it.effect("come in batches, with the resource and the headers that were asked for", function* () {
    const one = yield* receiver
    const add = yield* makeExporter(target(one.url("/v1/traces")))
    for (let n = 0; n < spansPerRequestMax + 1; n++) add(span)
    yield* round
    yield* came(one, 2)
    const [first, second] = one.at("/v1/traces")
    expect([spansIn(first!.text).length, spansIn(second!.text).length]).toEqual([spansPerRequestMax, 1])
    expect(first!.headers).toMatchObject({ "x-key": "k", "content-type": "application/json" })
    const { resource, scopeSpans } = first!.body.resourceSpans[0]
    expect(resource.attributes).toContainEqual({ key: "service.name", value: { stringValue: "hub" } })
    expect(resource.attributes).toContainEqual({ key: "deployment.environment", value: { stringValue: "test" } })
    expect(scopeSpans[0].spans[0]).toMatchObject({
      name: "a span",
      kind: 2,
      traceId: span.context.traceId,
      startTimeUnixNano: "1",
      endTimeUnixNano: "2",
      attributes: [
        { key: "http.route", value: { stringValue: "/x" } },
        { key: "http.response.status_code", value: { intValue: 200 } }
      ]
    })
  })

  it.effect("come as protobuf by default", function* () {
    const one = yield* receiver
    const add = yield* makeExporter(target(one.url("/v1/traces"), "protobuf"))
    add(span)
    yield* round
    yield* came(one, 1)
    expect(one.at("/v1/traces")[0]!.headers["content-type"]).toBe("application/x-protobuf")
    expect(one.at("/v1/traces")[0]!.text).toContain("a span")
  })

  it.effect(
    "wait for a receiver that hangs up to their bound, then are dropped and counted, and so is what hung",
    function* () {
      const one = yield* receiver
      one.react("/v1/traces", "hang")
      const [full, failed] = [dropped("full"), dropped("failed")]
      const add = yield* makeExporter(target(one.url("/v1/traces")))
      add(span)
      yield* round
      yield* came(one, 1)
      for (let n = 0; n < spansWaitingMax + 3; n++) add(span)
      expect(dropped("full") - full).toBe(3)
      one.react("/v1/traces", 200)
      yield* TestClock.adjust(spansRequestMillisMax)
      yield* Effect.promise(() => until("it is given up", () => dropped("failed") - failed === 1))
      yield* round
      yield* came(one, 1 + spansWaitingMax / spansPerRequestMax)
    }
  )

  it.effect("are dropped and counted where the receiver refuses them, and sent where their node ends", function* () {
    const one = yield* receiver
    const failed = dropped("failed")
    one.react("/v1/traces", 503)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const add = yield* makeExporter(target(one.url("/v1/traces")))
        add(span)
        yield* round
        yield* Effect.promise(() => until("it is refused", () => dropped("failed") - failed === 1))
        one.react("/v1/traces", 200)
        add(span)
      })
    )
    expect(one.at("/v1/traces")).toHaveLength(2)
  })

  it.effect("are sent again where their node ends while the receiver has not answered yet", function* () {
    const one = yield* receiver
    one.react("/v1/traces", "hang")
    yield* Effect.scoped(
      Effect.gen(function* () {
        const add = yield* makeExporter(target(one.url("/v1/traces")))
        add(span)
        yield* round
        yield* came(one, 1)
        one.react("/v1/traces", 200)
        add(span)
      })
    )
    expect(one.at("/v1/traces").map(({ text }) => spansIn(text).length)).toEqual([1, 2])
  })
})

it("the standard settings name the receiver, its headers and the service; nothing is traced without a receiver", () => {
  const given = { ...defaultSettings, otelEndpoint: "http://collector:4318" }
  expect(exportTarget(defaultSettings)).toBeUndefined()
  expect(exportTarget({ ...given, otelDisabled: "TRUE" })).toBeUndefined()
  expect(exportTarget(given)).toEqual({
    url: "http://collector:4318/v1/traces",
    headers: {},
    format: "protobuf",
    serviceName: "hub",
    attributes: {}
  })
  expect(
    exportTarget({
      ...given,
      otelTracesEndpoint: "http://other/path",
      otelHeaders: "authorization=Bearer%20x, a=1",
      otelTracesHeaders: "a=2",
      otelProtocol: "http/json",
      otelResourceAttributes: "service.name=named,host.name=one"
    })
  ).toEqual({
    url: "http://other/path",
    headers: { authorization: "Bearer x", a: "2" },
    format: "json",
    serviceName: "named",
    attributes: { "host.name": "one" }
  })
  expect(exportTarget({ ...given, otelServiceName: "mine" })?.serviceName).toBe("mine")
})

it("the standard settings leave out what does not fit", () =>
  expect(readPairs("=x,nothing,b=%zz,c=d=e,,f=")).toEqual({ c: "d=e", f: "" }))
