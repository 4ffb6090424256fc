/**
 * One node from start to end. Owns the order of both: stores and what is alive, then whatever runs beside, then the port,
 * then readiness; and back under one deadline: readiness red, no new connection, commands and streams end, sockets close
 * with 1012, actors, store.
 */
import { Effect, Layer, Scope } from "effect"
import { Supervisor } from "../actors/supervisor.ts"
import { Subscribers } from "../actors/webhook/subscribers.ts"
import type { Settings } from "../src/config.ts"
import { outcomesDrainMillis } from "../src/limits.ts"
import { Readiness } from "../src/readiness.ts"
import { Around } from "./around.ts"
import { Edge, type EdgeOptions } from "./edge.ts"
import { edgeLayer, type HubServices, hubLayer, logLayer } from "./layers.ts"

/** How a node is run. */
export interface NodeOptions<E, R> extends EdgeOptions {
  /** Runs once everything but the port is there, in the node's own scope. */
  readonly beside?: Effect.Effect<void, E, R>
}

/** The end of a node: what is under way gets until the deadline, then it is named and cut off. */
const drain = (settings: Settings) =>
  Effect.gen(function* () {
    const readiness = yield* Readiness
    const around = yield* Around
    const { server, sockets } = yield* Edge
    const subscribers = yield* Subscribers
    const supervisor = yield* Supervisor
    readiness.tell("drain", false)
    yield* server.stopAccepting
    // A command under way is a request under way: it ends, or the deadline does. So is one whose caller left its key.
    const settled = Effect.as(Effect.andThen(server.settled, around.settled), true)
    const inTime = yield* Effect.timeoutOrElse(settled, {
      duration: settings.drainMillis,
      orElse: () => Effect.succeed(false)
    })
    if (!inTime) yield* Effect.logWarning("requests were cut off by the drain", { requests: server.exchanges.live })
    yield* sockets.closeAll
    // What the sockets' end decided is an outcome too, and is kept.
    yield* Effect.timeoutOrElse(around.settled, { duration: outcomesDrainMillis, orElse: () => Effect.void })
    yield* Effect.timeoutOrElse(subscribers.drain, {
      duration: settings.drainMillis,
      orElse: () => Effect.logWarning("deliveries were cut off by the drain; they are attempted again after the start")
    })
    const left = yield* supervisor.awaitEmpty(0, ["daemon"])
    if (left.length > 0) yield* Effect.logWarning("the drain ran out of time", { left })
  })

/** A node in a scope: it serves once this ends, and drains when the scope closes. */
export const startNode = <E, R>(settings: Settings, options: NodeOptions<E, R> = {}) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const hub = yield* Layer.buildWithScope(hubLayer(settings), scope)
    if (options.beside !== undefined) yield* Effect.provideContext(options.beside, hub)
    const context = yield* Layer.buildWithScope(
      Layer.provideMerge(edgeLayer(options), Layer.succeedContext(hub)),
      scope
    )
    yield* Scope.addFinalizer(scope, Effect.ignore(Effect.provideContext(drain(settings), context)))
    yield* Effect.provideContext(
      Effect.map(Readiness, (readiness) => readiness.tell("start", true)),
      context
    )
    return context
  })

/** Runs a hub until it is interrupted, then drains it. */
export const serve = <E>(
  settings: Settings,
  beside: Effect.Effect<void, E, HubServices | Scope.Scope>
): Effect.Effect<never, unknown> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const context = yield* startNode(settings, { beside: Effect.provideService(beside, Scope.Scope, scope) })
    yield* Effect.provideContext(
      Effect.gen(function* () {
        const { port, server } = yield* Edge
        const address = `${server.secure ? "https" : "http"}://${settings.host}:${port}`
        yield* Effect.logInfo("serving", {
          address,
          database: settings.databaseUrl === undefined ? "embedded" : "postgres"
        })
        if (settings.redisUrl !== undefined) {
          yield* Effect.logWarning(
            "REDIS_URL shares keys, accounts, webhooks, live events and packages with other nodes; a daemon is known only to the node it is connected to: send its commands there, or run one node"
          )
        }
        if (settings.databaseUrl === undefined) {
          yield* Effect.logInfo("the embedded database survives a kill of the process, not a loss of power")
        }
      }),
      context
    )
    return yield* Effect.never
  }).pipe(Effect.scoped, Effect.provide(logLayer(settings)))
