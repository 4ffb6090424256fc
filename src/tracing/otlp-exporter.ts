/**
 * Sends spans that ended over OTLP/HTTP, in batches and one request at a time. Owns those that wait and their bound:
 * a receiver that is away or slow costs only spans, which are counted. The only file that names Effect's OTLP modules.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { entriesToAttributes, make as makeResource } from "effect/observability/OtlpResource"
import { layerJson, layerProtobuf, OtlpSerialization } from "effect/observability/OtlpSerialization"
import {
  spansFlushMillisMax,
  spansPerRequestMax,
  spansRequestMillisMax,
  spansSentMillis,
  spansWaitingMax
} from "../limits/tracing.ts"
import { count } from "../runtime/metrics.ts"
import { repeatEvery } from "../runtime/repeat-every.ts"
import type { ExportTarget } from "./export-target.ts"
import { type EndedSpan, spanKinds } from "./span.ts"

const statusCodes = { unset: 0, error: 2 } as const

const otlpSpan = ({ name, kind, context, parentId, startedAt, endedAt, attributes, failed }: EndedSpan) => ({
  traceId: context.traceId,
  spanId: context.spanId,
  parentSpanId: parentId,
  name,
  kind: spanKinds[kind],
  startTimeUnixNano: String(startedAt),
  endTimeUnixNano: String(endedAt),
  attributes: entriesToAttributes(Object.entries(attributes)),
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  status: { code: failed ? statusCodes.error : statusCodes.unset },
  links: [],
  droppedLinksCount: 0
})

const firstRefusal = 300

const post = (url: string, headers: Readonly<Record<string, string>>, body: Uint8Array) =>
  Effect.tryPromise(async (signal) => {
    const { request } = await import("undici")
    const answer = await request(url, { method: "POST", headers, body, signal })
    await answer.body.dump()
    if (answer.statusCode >= firstRefusal) throw new Error(`the receiver of spans answers ${answer.statusCode}`)
  })

/** Takes spans that ended and sends them until the scope closes. */
export const makeExporter = (target: ExportTarget): Effect.Effect<(span: EndedSpan) => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const layer = target.format === "json" ? layerJson : layerProtobuf
    const { traces } = Context.get(yield* Layer.build(layer), OtlpSerialization)
    const { url, serviceName, attributes } = target
    const resource = makeResource({ serviceName, attributes })
    const scope = { name: "hub" }
    let waiting: Array<EndedSpan> = []

    const sendSome = Effect.suspend(() => {
      const some = waiting.slice(0, spansPerRequestMax)
      waiting = waiting.slice(spansPerRequestMax)
      const body = traces({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans: some.map(otlpSpan) }] }] })
      if (body._tag !== "Uint8Array") return Effect.die(new Error(`spans were encoded as ${body._tag}`))
      return post(url, { ...target.headers, "content-type": body.contentType }, body.body).pipe(
        Effect.timeout(spansRequestMillisMax),
        Effect.tapError(() => Effect.sync(() => count("hub_spans_dropped_total", "failed", some.length))),
        // the node ends: they are sent with the last ones
        Effect.onInterrupt(() => Effect.sync(() => void waiting.unshift(...some)))
      )
    })
    const send = Effect.whileLoop({ while: () => waiting.length > 0, body: () => sendSome, step: () => undefined })

    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(send, spansFlushMillisMax)))
    yield* repeatEvery(spansSentMillis, "spans could not be sent", send, { warnOnce: true })

    return (span) => {
      if (waiting.length < spansWaitingMax) waiting.push(span)
      else count("hub_spans_dropped_total", "full")
    }
  })
