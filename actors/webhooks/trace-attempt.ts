/** The span of an attempt, within the trace of its event, and the headers that tell the receiver. Sends nothing. */
import { Effect, Exit } from "effect"
import type { AttemptResult } from "../../src/domain/webhook/delivery.ts"
import type { PendingDelivery } from "../../src/store/webhooks/deliveries.ts"
import { traceparentOf } from "../../src/tracing/trace-context.ts"
import type { Tracer } from "../../src/tracing/tracer.ts"

const noHeaders: Readonly<Record<string, string>> = {}

/** Sends an attempt, with further headers where its event is traced. */
export const traceAttempt = (
  tracing: Tracer | undefined,
  delivery: PendingDelivery,
  attempt: number,
  send: (headers: Readonly<Record<string, string>>) => Effect.Effect<AttemptResult>
): Effect.Effect<AttemptResult> => {
  if (tracing === undefined || !delivery.trace) return send(noHeaders)
  const span = tracing.goOn("attempt", "client", delivery.trace)
  if (span === undefined) return send(noHeaders)
  const { id, webhookId, event } = delivery
  span.about({ "hub.delivery.id": id, "hub.webhook.id": webhookId, "hub.event": event, "hub.attempt": attempt })
  const { state } = span.context
  const headers = { traceparent: traceparentOf(span.context), ...(state !== "" && { tracestate: state }) }
  return Effect.onExit(send(headers), (exit) =>
    Effect.sync(() => {
      if (Exit.isFailure(exit)) return span.end(true)
      const { statusCode, error } = exit.value
      if (statusCode !== undefined) span.about({ "http.response.status_code": statusCode })
      if (error !== undefined) span.about({ "error.type": error })
      span.end(error !== undefined || (statusCode ?? 0) >= firstFailure)
    })
  )
}

const firstFailure = 300
