/**
 * The spans of one request: itself, the guard's decision, and the making of its answer. Owns their names and
 * attributes; without a tracer a request has none, and nothing of this runs.
 */
import { Effect } from "effect"
import { CurrentSpan } from "../../src/tracing/span.ts"
import type { Tracer } from "../../src/tracing/tracer.ts"
import { type CallRecord, type Observer, statusOf } from "./call-record.ts"
import type { Endpoint } from "./endpoint.ts"
import { templateOf } from "./path-parameters.ts"

const serverFault = 500

/** Begins the span of each call of an endpoint, if its trace is kept. It ends as the answer is known. */
export const requestTracing = (
  tracing: Tracer,
  { id, method, path }: Pick<Endpoint, "id" | "method" | "path">
): Observer => {
  const route = templateOf(path)
  const name = `${method} ${route}`
  const fixed = { "http.request.method": method, "http.route": route, "hub.operation": id }
  return {
    begin: (call) => {
      const { trace, requestId } = call.request
      const span = tracing.begin(name, "server", trace)
      if (span === undefined) return
      call.span = span.about({ ...fixed, "hub.request.id": requestId })
      call.part = span.child("guard")
    },
    judged: ({ span, part }, { principal }) => {
      part?.end()
      span?.about({ "hub.account.id": principal.accountId })
    },
    end: ({ span, part }, end) => {
      part?.end()
      const status = statusOf(end)
      if (status !== undefined) span?.about({ "http.response.status_code": status })
      span?.end(status === undefined || status >= serverFault)
    }
  }
}

/** An action, which knows the span of its request. */
export const actionWithin = <A, E>({ span }: CallRecord, action: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  span === undefined ? action : Effect.provideService(action, CurrentSpan, span)

/** The action has ended: what follows is the making of the answer. */
export const answering = (call: CallRecord): void => {
  if (call.span !== undefined) call.part = call.span.child("answer")
}
