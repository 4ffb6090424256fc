/**
 * Mounts each endpoint of the contract on the native server: HEAD beside each GET, 405 with Allow on every known path,
 * 404 on every other. Owns the routing table. A contract with an endpoint that declares no access does not start.
 */
import { Context, Option } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { MethodNotAllowed, NotFound } from "../src/errors.ts"
import { AccessOf, isKeyed } from "./api/access.ts"
import { AnswersOf } from "./api/answers.ts"
import type { Api } from "./api/api.ts"
import type { BodyNeed, RouteNeeds } from "./native/exchange-needs.ts"
import type { NativeExchange } from "./native/native-exchange.ts"
import type { EndpointMap, Routes } from "./pipeline/action.ts"
import type { Cors } from "./pipeline/cors.ts"
import { bind, type Endpoint, type Served, type Terms } from "./pipeline/endpoint.ts"
import { noSuchPath } from "./pipeline/missing-resource.ts"
import { parameterNames } from "./pipeline/path-parameters.ts"
import { handlerOf } from "./pipeline/pipeline.ts"
import type { PipelineContext } from "./pipeline/pipeline-context.ts"
import { refuseCharged } from "./pipeline/refuse-charged.ts"
import type { AllRoutes, GroupName, GroupNamed } from "./routes/all.ts"

/** The server, as far as mounting needs it. */
export interface Mountable {
  readonly route: (method: string, path: string, wants: RouteNeeds, handle: (exchange: NativeExchange) => void) => void
}

const unrouted = "unrouted"
const noNeeds: RouteNeeds = { parameters: 0, headers: [] }
const preflightNeeds: RouteNeeds = { parameters: 0, headers: ["access-control-request-method"] }

/** What the contract says of each endpoint beside its types, by group and identifier. */
const termsOf = (api: typeof Api): ReadonlyMap<string, Terms> => {
  const terms = new Map<string, Terms>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations, successes, errors }) => {
      const id = `${group.identifier}.${endpoint.identifier}`
      const access = Option.getOrUndefined(Context.getOption(mergedAnnotations, AccessOf))
      if (access === undefined) throw new Error(`the contract's ${id} does not say its access`)
      const answers = Option.getOrElse(Context.getOption(mergedAnnotations, AnswersOf), () => ({}))
      terms.set(id, { id, access, answers, successes, errors })
    }
  })
  return terms
}

/** The endpoints of every group, by group. */
type GroupMap = { readonly [N in GroupName]: { readonly endpoints: EndpointMap<GroupNamed<N>> } }

/** Every endpoint of the contract with the action that answers it. */
export const endpointsOf = (api: typeof Api, routes: AllRoutes, checked: boolean): ReadonlyArray<Endpoint> => {
  const terms = termsOf(api)
  const groups: GroupMap = api.groups
  const bindNamed = <N extends GroupName>(name: N) =>
    bindGroup<GroupNamed<N>>(groups[name].endpoints, routes[name], (id) => terms.get(`${name}.${id}`)!, checked)
  return (Object.keys(groups) as Array<GroupName>).flatMap((name) => bindNamed(name))
}

const bindGroup = <G extends HttpApiGroup.Constraint>(
  endpoints: EndpointMap<G>,
  actions: Routes<G>,
  terms: (id: string) => Terms,
  checked: boolean
): ReadonlyArray<Endpoint> => {
  const bindOne = <K extends keyof EndpointMap<G>>(id: K) =>
    bind<EndpointMap<G>[K]>(endpoints[id], actions[id], terms(id), checked)
  return (Object.keys(endpoints) as Array<keyof EndpointMap<G>>).map((id) => bindOne(id))
}

const bodyNeedOf = ({ takesBody, needsBody }: Endpoint): BodyNeed | undefined =>
  needsBody ? "needed" : takesBody ? "optional" : undefined

const allowOf = (methods: ReadonlySet<string>): string =>
  [...methods].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ")

/** The endpoints with their handlers. */
export const served = (edge: PipelineContext, endpoints: ReadonlyArray<Endpoint>): ReadonlyArray<Served> =>
  endpoints.map((endpoint) => ({ endpoint, handle: handlerOf(edge, endpoint) }))

/** Mounts the endpoints. `sockets` are paths that something else serves by GET; they keep their own GET. */
export const mount = (
  server: Mountable,
  edge: PipelineContext,
  cors: Cors,
  endpoints: ReadonlyArray<Served>,
  sockets: ReadonlyArray<string>
): void => {
  const methodsAt = new Map<string, Set<string>>(sockets.map((path) => [path, new Set(["GET"])]))
  for (const { endpoint, handle } of endpoints) {
    const at = methodsAt.get(endpoint.path) ?? new Set()
    if (at.has(endpoint.method)) throw new Error(`two endpoints at ${endpoint.method} ${endpoint.path}`)
    methodsAt.set(endpoint.path, at.add(endpoint.method))
    const needs = {
      parameters: parameterNames(endpoint.path).length,
      headers: endpoint.headerNames,
      keyed: isKeyed(endpoint.method, endpoint.access),
      body: bodyNeedOf(endpoint),
      streams: endpoint.access.streams !== undefined,
      forwarded: endpoint.access.loopback === true
    }
    server.route(endpoint.method, endpoint.path, needs, handle)
    if (endpoint.method === "GET") server.route("HEAD", endpoint.path, needs, handle)
  }

  for (const [path, methods] of methodsAt) {
    const allow = allowOf(methods)
    const preflightMethods = [...methods].join(", ")
    server.route("OPTIONS", path, preflightNeeds, (exchange) => {
      const preflight = cors.preflight(exchange.origin, exchange.headers[0]!, preflightMethods)
      if (preflight !== undefined) exchange.answer(preflight)
      else refuseCharged(edge, exchange, unrouted, new MethodNotAllowed({ allow }))
    })
    server.route("ANY", path, noNeeds, (exchange) =>
      refuseCharged(edge, exchange, unrouted, new MethodNotAllowed({ allow }))
    )
  }
  server.route("ANY", "/*", { ...noNeeds, path: true }, (exchange) =>
    refuseCharged(edge, exchange, unrouted, new NotFound({ what: noSuchPath }))
  )
}
