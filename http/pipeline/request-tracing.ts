/**
 * The spans of one request: itself, the guard's decision, and the making of its answer. Owns their names and
 * attributes; without a tracer a request has none, and nothing of this runs.
 */
import { Effect } from "effect"
import { CurrentSpan } from "../../src/tracing/span.ts"
import type { Tracer } from "../../src/tracing/tracer.ts"
import type { Endpoint } from "./endpoint.ts"
import type { RequestExchange } from "./request-exchange.ts"

const serverFault = 500
const routeOf = (path: string): string => path.replace(/:(\w+)/gu, "{$1}")

/** Begins the span of each request of an endpoint, if its trace is kept. It ends as the answer is known. */
export const requestTracing = (tracing: Tracer, { id, method, path }: Pick<Endpoint, "id" | "method" | "path">) => {
  const route = routeOf(path)
  const name = `${method} ${route}`
  const fixed = { "http.request.method": method, "http.route": route, "hub.operation": id }
  return (exchange: RequestExchange): void => {
    const span = tracing.begin(name, "server", exchange.trace)
    if (span === undefined) return
    span.about({ ...fixed, "hub.request.id": exchange.requestId })
    exchange.span = span
    exchange.part = span.child("guard")
    const before = exchange.beforeAnswer
    const endSpan: RequestExchange["beforeAnswer"] = (answer, request) => {
      before?.(answer, request)
      exchange.part?.end()
      if (answer !== undefined) span.about({ "http.response.status_code": answer.status })
      span.end(answer === undefined || answer.status >= serverFault)
    }
    exchange.beforeAnswer = endSpan
  }
}

/** The guard has let the request of this account in. */
export const guarded = ({ span, part }: RequestExchange, accountId: string): void => {
  part?.end()
  span?.about({ "hub.account.id": accountId })
}

/** An action, which knows the span of its request. */
export const actionWithin = <A, E>({ span }: RequestExchange, action: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  span === undefined ? action : Effect.provideService(action, CurrentSpan, span)

/** The action has ended: what follows is the making of the answer. */
export const answering = (exchange: RequestExchange): void => {
  if (exchange.span !== undefined) exchange.part = exchange.span.child("answer")
}

/** The answer is a stream, which has begun. */
export const streaming = ({ span, part }: RequestExchange): void => {
  part?.end()
  span?.about({ "http.response.status_code": 200 }).end()
}
