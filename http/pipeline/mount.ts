/**
 * Walks the contract and mounts each endpoint natively, HEAD beside each GET, 405 with Allow on every known path and
 * 404 on every other. Owns the walk; a contract with an endpoint that does not say its access does not start.
 */
import { Context, Effect, Exit } from "effect"
import { HttpApi } from "effect/http-api"
import { MethodNotAllowed, NotFound } from "../../src/errors.ts"
import { bodyBytesMax } from "../../src/limits.ts"
import { AccessOf } from "../api/access.ts"
import type { Api } from "../api/api.ts"
import type { Exchange } from "../native/exchange.ts"
import type { Wants } from "../native/exchange-needs.ts"
import type { AllRoutes } from "../routes/all.ts"
import type { Cors } from "./cors.ts"
import { decodersOf, parameterNames } from "./decode.ts"
import { replyOf } from "./encode.ts"
import type { Verdict } from "./guard.ts"
import { type Edge, type Endpoint, fail, isKeyed, refuse, run, walk } from "./pipeline.ts"
import { limitHead } from "./rate-limit-headers.ts"

/** The server, as far as mounting needs it. */
export interface Mountable {
  readonly route: (method: string, path: string, wants: Wants, handle: (exchange: Exchange) => void) => void
}

const unrouted = "unrouted"
const bare: Wants = { parameters: 0, headers: [] }
const preflightWants: Wants = { parameters: 0, headers: ["access-control-request-method"] }

/** Every endpoint of the contract with the action that answers it. */
export const endpointsOf = (api: typeof Api, routes: AllRoutes, checked: boolean): ReadonlyArray<Endpoint> => {
  const endpoints: Array<Endpoint> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations, successes }) => {
      const id = `${group.identifier}.${endpoint.identifier}`
      const access = Context.getOrUndefined(mergedAnnotations as Context.Context<AccessOf>, AccessOf)
      if (access === undefined) throw new Error(`the contract's ${id} does not say its access`)
      const actions = routes[group.identifier as keyof AllRoutes] as unknown as Record<string, Endpoint["action"]>
      endpoints.push({
        id,
        method: endpoint.method,
        path: endpoint.path,
        access,
        decoders: decodersOf(endpoint, access.exact === true, access.bodyBytes ?? bodyBytesMax),
        reply: replyOf(id, successes, checked),
        action: actions[endpoint.identifier]!
      })
    }
  })
  return endpoints
}

const allowOf = (methods: ReadonlySet<string>): string =>
  [...methods].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ")

/** Mounts the endpoints. `sockets` are paths that something else serves by GET; they keep their own GET. */
export const mount = (
  server: Mountable,
  edge: Edge,
  cors: Cors,
  endpoints: ReadonlyArray<Endpoint>,
  sockets: ReadonlyArray<string>
): void => {
  const methodsAt = new Map<string, Set<string>>(sockets.map((path) => [path, new Set(["GET"])]))
  for (const endpoint of endpoints) {
    const at = methodsAt.get(endpoint.path) ?? new Set()
    if (at.has(endpoint.method)) throw new Error(`two endpoints at ${endpoint.method} ${endpoint.path}`)
    methodsAt.set(endpoint.path, at.add(endpoint.method))
    const wants = {
      parameters: parameterNames(endpoint.path).length,
      headers: endpoint.decoders.headerNames,
      keyed: isKeyed(endpoint),
      body: endpoint.decoders.takesBody,
      streams: endpoint.access.streams === true,
      forwarded: endpoint.access.loopback === true
    }
    const handle = walk(edge, endpoint)
    server.route(endpoint.method, endpoint.path, wants, handle)
    if (endpoint.method === "GET") server.route("HEAD", endpoint.path, wants, handle)
  }

  /** What no route takes is nobody's call: the address is charged, then it is refused. */
  const turnAway = (exchange: Exchange, failure: MethodNotAllowed | NotFound): void => {
    const say = (verdict: Verdict): void => {
      exchange.extra = limitHead(verdict.asked)
      refuse(edge, exchange, unrouted, verdict.failure ?? failure)
    }
    const verdict = edge.guard.ask({ kind: "public" }, "", exchange)
    if (!Effect.isEffect(verdict)) return say(verdict)
    run(edge, exchange, verdict, (exit) => {
      if (Exit.isSuccess(exit)) say(exit.value)
      else fail(edge, exchange, unrouted, exit.cause)
    })
  }

  for (const [path, methods] of methodsAt) {
    const allow = allowOf(methods)
    const preflightMethods = [...methods].join(", ")
    server.route("OPTIONS", path, preflightWants, (exchange) => {
      const preflight = cors.preflight(exchange.origin, exchange.headers[0]!, preflightMethods)
      if (preflight !== undefined) exchange.answer(preflight)
      else turnAway(exchange, new MethodNotAllowed({ allow }))
    })
    server.route("ANY", path, bare, (exchange) => turnAway(exchange, new MethodNotAllowed({ allow })))
  }
  server.route("ANY", "/*", bare, (exchange) => turnAway(exchange, new NotFound()))
}
