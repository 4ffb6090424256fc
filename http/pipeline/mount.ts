/**
 * Mounts each endpoint of the contract on the native server: HEAD beside each GET, 405 with Allow on every known path,
 * 404 on every other. Owns the routing table. A contract with an endpoint that declares no access does not start.
 */
import { Context, Effect, Exit } from "effect"
import { HttpApi } from "effect/http-api"
import { MethodNotAllowed, NotFound } from "../../src/errors.ts"
import { bodyBytesMax } from "../../src/limits.ts"
import { AccessOf } from "../api/access.ts"
import type { Api } from "../api/api.ts"
import type { Exchange } from "../native/exchange.ts"
import type { RouteNeeds } from "../native/exchange-needs.ts"
import type { AllRoutes } from "../routes/all.ts"
import type { Cors } from "./cors.ts"
import { decodersOf, parameterNames } from "./decode.ts"
import { encoderOf } from "./encode.ts"
import type { Verdict } from "./guard.ts"
import { type Endpoint, fail, handlerOf, isKeyed, type PipelineContext, refuse, run } from "./pipeline.ts"
import { rateLimitHead } from "./rate-limit-headers.ts"

/** The server, as far as mounting needs it. */
export interface Mountable {
  readonly route: (method: string, path: string, wants: RouteNeeds, handle: (exchange: Exchange) => void) => void
}

const unrouted = "unrouted"
const noNeeds: RouteNeeds = { parameters: 0, headers: [] }
const preflightNeeds: RouteNeeds = { parameters: 0, headers: ["access-control-request-method"] }

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
        encode: encoderOf(id, successes, checked),
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
  edge: PipelineContext,
  cors: Cors,
  endpoints: ReadonlyArray<Endpoint>,
  sockets: ReadonlyArray<string>
): void => {
  const methodsAt = new Map<string, Set<string>>(sockets.map((path) => [path, new Set(["GET"])]))
  for (const endpoint of endpoints) {
    const at = methodsAt.get(endpoint.path) ?? new Set()
    if (at.has(endpoint.method)) throw new Error(`two endpoints at ${endpoint.method} ${endpoint.path}`)
    methodsAt.set(endpoint.path, at.add(endpoint.method))
    const needs = {
      parameters: parameterNames(endpoint.path).length,
      headers: endpoint.decoders.headerNames,
      keyed: isKeyed(endpoint),
      body: endpoint.decoders.takesBody,
      streams: endpoint.access.streams === true,
      forwarded: endpoint.access.loopback === true
    }
    const handler = handlerOf(edge, endpoint)
    server.route(endpoint.method, endpoint.path, needs, handler)
    if (endpoint.method === "GET") server.route("HEAD", endpoint.path, needs, handler)
  }

  /** Refuses a request that no route serves; its address is charged. */
  const refuseUnrouted = (exchange: Exchange, failure: MethodNotAllowed | NotFound): void => {
    const respond = (verdict: Verdict): void => {
      exchange.extraHead = rateLimitHead(verdict.decisions)
      refuse(edge, exchange, unrouted, verdict.failure ?? failure)
    }
    const verdict = edge.guard.judge({ kind: "public" }, "", exchange)
    if (!Effect.isEffect(verdict)) return respond(verdict)
    run(edge, exchange, verdict, (exit) => {
      if (Exit.isSuccess(exit)) respond(exit.value)
      else fail(edge, exchange, unrouted, exit.cause)
    })
  }

  for (const [path, methods] of methodsAt) {
    const allow = allowOf(methods)
    const preflightMethods = [...methods].join(", ")
    server.route("OPTIONS", path, preflightNeeds, (exchange) => {
      const preflight = cors.preflight(exchange.origin, exchange.headers[0]!, preflightMethods)
      if (preflight !== undefined) exchange.answer(preflight)
      else refuseUnrouted(exchange, new MethodNotAllowed({ allow }))
    })
    server.route("ANY", path, noNeeds, (exchange) => refuseUnrouted(exchange, new MethodNotAllowed({ allow })))
  }
  server.route("ANY", "/*", noNeeds, (exchange) => refuseUnrouted(exchange, new NotFound()))
}
