/**
 * Composes the edge of one node: server, guard, contract, sockets. Owns listening. When its scope closes it closes the
 * remaining connections; src/hub/node.ts has drained the node before.
 */

import { Cause, Clock, Context, Effect, Layer } from "effect"
import { AuditLog } from "../actors/audit-log/audit-log.ts"
import { Connections } from "../actors/connections/connections.ts"
import { RequestLog } from "../actors/request-log/request-log.ts"
import { issuerOf } from "../src/auth/oauth/issuer.ts"
import { makeSeal } from "../src/auth/secret-box.ts"
import { Config, type Settings } from "../src/config.ts"
import type { HubError } from "../src/errors.ts"
import { unreadLookMillis } from "../src/limits.ts"
import { bufferPool } from "../src/runtime/buffer-pool.ts"
import { descriptorsMax, lowestFree } from "../src/runtime/descriptors.ts"
import { watchInScope } from "../src/runtime/metrics.ts"
import { monotonicMillis } from "../src/runtime/monotonic.ts"
import { NodeCost } from "../src/runtime/node-cost.ts"
import { watchProcess } from "../src/runtime/process-metrics.ts"
import { repeatEvery } from "../src/runtime/repeat-every.ts"
import { tcpPeers } from "../src/runtime/tcp-table.ts"
import { type After, failureLog, kindOf } from "../src/runtime/throttled-log.ts"
import { Timers } from "../src/runtime/timers.ts"
import { madeOnce } from "../src/runtime/worker/made-once.ts"
import { Tracing } from "../src/tracing/tracer.ts"
import { Api } from "./api/api.ts"
import { mcpEndpoints } from "./mcp/endpoint.ts"
import { messageHandler } from "./mcp/message-handler.ts"
import { originRule } from "./mcp/origin.ts"
import type { ServerOf } from "./mcp/server.ts"
import type { HubTools } from "./mcp/tools.ts"
import { endpointsOf, mount, served } from "./mount.ts"
import { type ConnectionNeeds, OpenConnections } from "./native/connection-limit.ts"
import { ConnectionsByAddress } from "./native/connections-by-address.ts"
import { serveSockets, socketPath } from "./native/daemon-socket.ts"
import type { OpenSockets } from "./native/open-sockets.ts"
import { makeServer, type Server } from "./native/server.ts"
import { makeBodyCost } from "./pipeline/body-cost.ts"
import { corsOf } from "./pipeline/cors.ts"
import type { Endpoint } from "./pipeline/endpoint.ts"
import { makeGuard } from "./pipeline/guard.ts"
import { IdempotentRuns } from "./pipeline/idempotency.ts"
import { makeOpenCalls } from "./pipeline/open-calls.ts"
import type { PipelineContext as EdgeParts } from "./pipeline/pipeline-context.ts"
import { transportSecurityOf } from "./pipeline/transport-security.ts"
import type { AllRoutes } from "./routes/all.ts"

/** Options of an edge. */
export interface EdgeOptions {
  /** Checks every answer against the contract, which costs time; for tests. */
  readonly checked?: boolean
  /** What must have been done before the first request, and may fail. */
  readonly beforeListening?: Effect.Effect<unknown, unknown>
  /** Several processes share the port. */
  readonly sharedPort?: boolean
  /** Another contract than the hub's own; for tests of the pipeline. */
  readonly api?: typeof Api
  /** Other MCP servers than the hub's own; for tests of the endpoint. */
  readonly mcpServers?: () => Promise<ServerOf>
  /** The file descriptors of the process, instead of asking the system; for tests. */
  readonly descriptors?: Omit<ConnectionNeeds, "from">
}

export class Edge extends Context.Service<
  Edge,
  { readonly port: number; readonly server: Server; readonly sockets: OpenSockets }
>()("hub/Edge") {
  /** Listens with these routes, and with endpoints outside the contract. */
  static readonly layer = <E, R, E2 = never, R2 = never>(
    routes: Effect.Effect<AllRoutes, E, R>,
    options: EdgeOptions = {},
    others: Effect.Effect<ReadonlyArray<Endpoint>, E2, R2> = Effect.succeed([])
  ) => Layer.effect(Edge, make(routes, options, others))
}

const make = <E, R, E2, R2>(
  routes: Effect.Effect<AllRoutes, E, R>,
  options: EdgeOptions,
  others: Effect.Effect<ReadonlyArray<Endpoint>, E2, R2>
) =>
  Effect.gen(function* () {
    const config = yield* Config
    const guard = yield* makeGuard
    const idempotency = yield* IdempotentRuns
    const timers = yield* Timers
    const context = yield* Effect.context<never>()
    const fork = Effect.runForkWith(context)
    const runPromise = Effect.runPromiseWith(context)
    const failures = yield* storeFailures(timers.after)
    const unexpected = yield* unexpectedFailures(timers.after)
    const node = yield* NodeCost
    const parts: EdgeParts = {
      guard,
      calls: yield* makeOpenCalls,
      bodyCost: makeBodyCost(timers.monotonic, node),
      idempotency: idempotency,
      requestLog: yield* RequestLog,
      auditLog: yield* AuditLog,
      ...debugLines(config.logLevel, fork),
      fork,
      clock: yield* Clock.Clock,
      tracing: yield* Tracing,
      defect: (cause, where, requestId) => unexpected(cause, { where, requestId }),
      storeFailed: (failure, where, requestId) => failures(failure, { where, requestId })
    }
    const needs = {
      connections: yield* Connections,
      timers,
      clock: parts.clock,
      defect: (defect: unknown, where: string) => unexpected(Cause.die(defect), { where }),
      storeFailed: parts.storeFailed,
      origins: [...config.corsOrigins, ...config.daemonOrigins]
    }
    const cors = corsOf(config.corsOrigins)
    let port = 0
    const sharedPort = options.sharedPort === true
    const listening = { ...config, sharedPort, everyAnswer: transportSecurityOf(config) }
    const open = openConnections(options, needs.clock, () => port)
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => makeServer(listening, cors, config.trustedProxies, open)),
      ({ close }) => close
    )
    const sockets = serveSockets(server, needs)
    const api = options.api ?? Api
    const endpoints = served(parts, endpointsOf(api, yield* routes, options.checked === true))
    const toolsThread = new URL("./mcp/tools-thread.ts", import.meta.url)
    const tools = madeOnce<HubTools>(toolsThread, { server: config.publicUrl ?? "/" })
    const servers = async (): Promise<ServerOf> =>
      (await import("./mcp/server.ts")).hubServers(await runPromise(tools), endpoints, makeSeal(config.secretKey))
    const mcp = mcpEndpoints({
      edge: parts,
      node,
      clock: parts.clock,
      handle: messageHandler(options.mcpServers ?? servers),
      issuer: issuerOf(config),
      mayCallFrom: originRule(config.corsOrigins, config.publicUrl)
    })
    mount(server, parts, cors, [...endpoints, ...mcp, ...served(parts, yield* others)], [socketPath])
    yield* watchProcess
    yield* watchGauges(server, sockets, needs.connections)
    const lookAtUnread = Effect.sync(() => {
      server.exchanges.paused.look()
      server.exchanges.answers.look()
      bufferPool.look()
    })
    yield* repeatEvery(unreadLookMillis, "a look at unread answers failed", lookAtUnread)
    if (options.beforeListening !== undefined) yield* options.beforeListening
    port = yield* server.listen
    return { port, server, sockets }
  })

/** A line for each request and command, where the log takes them: elsewhere none is made. */
const debugLines = (level: Settings["logLevel"], fork: EdgeParts["fork"]) => {
  const line = (words: string) => (facts: Readonly<Record<string, unknown>>) => void fork(Effect.logDebug(words, facts))
  const isTaken = level === "debug"
  return {
    logRequest: isTaken ? line("a request was answered") : undefined,
    logCommand: isTaken ? line("a command was answered") : undefined
  }
}

/** The connection limit of a server at this port. */
const openConnections = (options: EdgeOptions, clock: Clock.Clock, port: () => number): OpenConnections => {
  const descriptors = options.descriptors ?? { descriptors: descriptorsMax(), lowestFree }
  const connections: ConnectionsByAddress = new ConnectionsByAddress(
    () => tcpPeers(port()),
    () => monotonicMillis(clock),
    () => open.size
  )
  const open = new OpenConnections({ ...descriptors, from: (address) => connections.add(address) })
  return open
}

/** The origin of a failure, for the log. */
interface Facts {
  readonly where: string
  readonly requestId?: string
}

/** Logs store failures. */
const storeFailures = (after: After) =>
  Effect.map(
    failureLog<{ readonly facts: object; readonly cause: Cause.Cause<unknown> }>(after, ({ facts, cause }, heldBack) =>
      Effect.logError("the store failed", { ...facts, heldBack }, cause)
    ),
    (failures) =>
      (failure: HubError, facts: Facts): void => {
        const operation = failure._tag === "StoreFailed" ? failure.operation : failure._tag
        const cause = Cause.fail(failure._tag === "StoreFailed" ? failure.cause : failure)
        // grouped by operation and class, not by route: the store is what failed
        failures.add(kindOf(Cause.fail(failure)), { facts: { ...facts, operation }, cause })
      }
  )

/** Logs defects. */
const unexpectedFailures = (after: After) =>
  Effect.map(
    failureLog<{ readonly facts: Facts; readonly cause: Cause.Cause<unknown> }>(after, ({ facts, cause }, heldBack) =>
      Effect.logError("an unexpected failure", { ...facts, heldBack }, cause)
    ),
    (failures) =>
      (cause: Cause.Cause<unknown>, facts: Facts): void => {
        if (!Cause.hasInterruptsOnly(cause)) failures.add(`${facts.where} ${kindOf(cause)}`, { facts, cause })
      }
  )

/** Registers the edge's gauges while its scope is open. */
const watchGauges = (server: Server, sockets: OpenSockets, connections: Connections["Service"]) =>
  Effect.all([
    watchInScope("hub_connections", () => server.open.size),
    watchInScope("hub_connections_max", () => server.open.max),
    watchInScope("hub_exchanges", () => server.exchanges.live),
    watchInScope("hub_body_bytes", () => server.exchanges.bodies.size),
    watchInScope("hub_answer_bytes", () => server.exchanges.answers.size),
    watchInScope("hub_sockets", sockets.size),
    watchInScope("hub_sockets_unauthenticated", connections.unauthenticated)
  ])
