/** Reads the spans that came to a receiver as OTLP in JSON. Owns the reading; asserts nothing. */
import type { Receiver } from "./webhook-receiver.ts"

/** A span as a test looks at it. */
export interface SeenSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
}

interface WrittenSpan extends Omit<SeenSpan, "attributes"> {
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Readonly<Record<string, unknown>> }>
}

/** All spans that came to `/v1/traces`. */
export const spansAt = (receiver: Receiver): ReadonlyArray<SeenSpan> =>
  receiver
    .at("/v1/traces")
    .flatMap(({ body }) => body.resourceSpans[0].scopeSpans[0].spans as ReadonlyArray<WrittenSpan>)
    .map(({ attributes, ...span }) => ({
      ...span,
      attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
    }))

/** The spans of a trace by name; of several of one name the last. */
export const traceOf = (receiver: Receiver, traceId: string): Readonly<Record<string, SeenSpan>> =>
  Object.fromEntries(
    spansAt(receiver)
      .filter((span) => span.traceId === traceId)
      .map((span) => [span.name, span])
  )
