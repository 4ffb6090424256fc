/**
 * Begins spans, where the hub is told to trace. Owns whether a trace is kept; the exporter has the spans that ended.
 * Absent (`Tracing` is undefined) nothing is traced, and each place that could begin a span asks only that.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Settings } from "../config.ts"
import { exportTarget } from "./export-target.ts"
import { makeExporter } from "./otlp-exporter.ts"
import { makeSampler } from "./sampler.ts"
import { Span, type SpanKind, type SpanSink } from "./span.ts"
import { readTrace } from "./trace-context.ts"

export interface Tracer {
  /** The first span of this hub in a trace. `given`: the context that came, "" without one. Undefined: not kept. */
  readonly begin: (name: string, kind: SpanKind, given: string) => Span | undefined
  /** A span of a trace that is kept, within the one that this text names. Undefined: the text names none. */
  readonly goOn: (name: string, kind: SpanKind, within: string) => Span | undefined
}

/** The tracer of this hub; undefined: it does not trace. */
export const Tracing = Context.Reference<Tracer | undefined>("hub/Tracing", { defaultValue: () => undefined })

const begin = (
  sampler: ReturnType<typeof makeSampler>,
  sink: SpanSink,
  given: string,
  name: string,
  kind: SpanKind
) => {
  const from = given === "" ? undefined : readTrace(given)
  if (from === undefined) {
    const traceId = sampler.begin()
    return traceId === undefined ? undefined : new Span(sink, name, kind, { traceId, sampled: true, state: "" })
  }
  if (!sampler.goOn(from.traceId, from.sampled)) return undefined
  return new Span(sink, name, kind, { ...from, sampled: true }, from.spanId)
}

/** The tracer that these settings ask for. */
export const tracingLayer = (settings: Settings): Layer.Layer<never> => {
  const target = exportTarget(settings)
  if (target === undefined) return Layer.empty
  return Layer.effect(
    Tracing,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const sampler = makeSampler(settings.otelSampler, settings.otelSamplerArg)
      const ended = yield* makeExporter(target)
      const sink: SpanSink = { now: () => clock.currentTimeNanosUnsafe(), ended }
      return {
        begin: (name, kind, given) => begin(sampler, sink, given, name, kind),
        goOn: (name, kind, within) => {
          const from = readTrace(within)
          return from?.sampled === true ? new Span(sink, name, kind, from, from.spanId) : undefined
        }
      } satisfies Tracer
    })
  )
}
