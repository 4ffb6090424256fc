/**
 * A span: a piece of work, when it began and ended, and what it was about. Owns its shape and its life; sends nothing.
 * An attribute is an id, a name or a number of the hub's own: no secret, and nothing that an agent or a caller wrote.
 */
import { Context } from "effect"
import { newSpanId } from "./sampler.ts"
import type { TraceContext } from "./trace-context.ts"

/** What kind of work, as OpenTelemetry numbers it. */
export const spanKinds = { internal: 1, server: 2, client: 3 } as const
export type SpanKind = keyof typeof spanKinds

/** What a span was about. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** A span that has ended. */
export interface EndedSpan {
  readonly name: string
  readonly kind: SpanKind
  readonly context: TraceContext
  readonly parentId: string | undefined
  /** Nanoseconds since the epoch. */
  readonly startedAt: bigint
  readonly endedAt: bigint
  readonly attributes: Attributes
  readonly failed: boolean
}

/** Where spans begin and end. */
export interface SpanSink {
  readonly now: () => bigint
  readonly ended: (span: EndedSpan) => void
}

/** A span under way. */
export class Span {
  readonly context: TraceContext
  readonly #sink: SpanSink
  readonly #name: string
  readonly #kind: SpanKind
  readonly #parentId: string | undefined
  readonly #startedAt: bigint
  #attributes: Attributes
  #isOver = false

  /** `parent` undefined: its trace begins with it. */
  constructor(sink: SpanSink, name: string, kind: SpanKind, trace: Omit<TraceContext, "spanId">, parentId?: string) {
    this.#sink = sink
    this.#name = name
    this.#kind = kind
    this.#parentId = parentId
    this.context = { ...trace, spanId: newSpanId() }
    this.#attributes = {}
    this.#startedAt = sink.now()
  }

  /** A span within this one. */
  child(name: string, kind: SpanKind = "internal"): Span {
    return new Span(this.#sink, name, kind, this.context, this.context.spanId)
  }

  /** Adds attributes, and gives the span itself. */
  about(attributes: Attributes): this {
    this.#attributes = { ...this.#attributes, ...attributes }
    return this
  }

  /** Ends it, once. */
  end(failed = false): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#sink.ended({
      name: this.#name,
      kind: this.#kind,
      context: this.context,
      parentId: this.#parentId,
      startedAt: this.#startedAt,
      endedAt: this.#sink.now(),
      attributes: this.#attributes,
      failed
    })
  }
}

/** The span of the request that a fiber works for. */
export const CurrentSpan = Context.Reference<Span | undefined>("hub/CurrentSpan", { defaultValue: () => undefined })
