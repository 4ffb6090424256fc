/**
 * One node from start to end. Owns the order of both: stores and what is alive, then the port, then whatever runs
 * beside, then readiness; and back under one deadline: readiness red, no new connection, streams end, daemons go to
 * other nodes, commands end, sockets close with 1012, actors, store.
 */

import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net"
import { Context, Effect, Exit, Fiber, Latch, Layer, Option, Scope } from "effect"
import { Cluster } from "../../actors/cluster/cluster.ts"
import { Directory } from "../../actors/commands/directory.ts"
import { DaemonDrain } from "../../actors/connections/daemon-drain.ts"
import { Supervisor } from "../../actors/runtime/supervisor.ts"
import { Subscribers } from "../../actors/webhooks/service.ts"
import { Edge, type EdgeOptions } from "../../http/edge.ts"
import { IdempotentRuns } from "../../http/pipeline/idempotency.ts"
import { noteAddress } from "../admin/data-folder-lock.ts"
import type { ServeOptions } from "../cli/programs.ts"
import { checkTls } from "../config/tls-files.ts"
import type { Settings } from "../config.ts"
import { judgeMemory } from "../doctor/memory.ts"
import { addressMillisMax } from "../limits/delivery.ts"
import { closeMillisMax, outcomesDrainMillis } from "../limits.ts"
import { DrainDeadline } from "../runtime/drain-deadline.ts"
import { memoryBytes } from "../runtime/memory-limit.ts"
import { Readiness } from "../runtime/readiness.ts"
import { NodeStarted } from "../runtime/repeat-every.ts"
import { makeStartWork, StartWork } from "../runtime/start-work.ts"
import { edgeLayer, type HubServices, hubLayer, logLayer } from "./layers.ts"

/** How a node is run. */
export interface NodeOptions<E, R> extends EdgeOptions {
  /** Runs once the node listens at this address, in the node's own scope; it is ready when this has ended. */
  readonly beside?: (address: string) => Effect.Effect<void, E, R>
  /** As `Serving.replaced`. */
  readonly replaced?: () => boolean
}

/**
 * Daemons that move, and then what else is under way, may take this share of the drain; the rest is for what comes
 * after.
 */
const daemonsShare = 0.7
const requestsShare = 0.85

/** The end of a node: what is under way gets until the deadline that all steps share, then it is named and cut off. */
const drain = Effect.fnUntraced(function* (replaced: boolean) {
  const readiness = yield* Readiness
  const idempotentRuns = yield* IdempotentRuns
  const { server, sockets } = yield* Edge
  const subscribers = yield* Subscribers
  const supervisor = yield* Supervisor
  const leaving = yield* DaemonDrain
  const { left: millisLeft, step } = yield* DrainDeadline
  // a probe of this port means all processes that share it: not red while another serves
  if (!replaced) readiness.tell("drain", false)
  yield* Effect.logInfo("draining", { daemons: sockets.size(), requests: server.exchanges.live })
  yield* server.stopAccepting
  yield* server.endStreams
  yield* (yield* Directory).endWatches
  const deliveries = yield* Effect.forkDetach(subscribers.drain, { startImmediately: true })
  yield* step("daemons", leaving.begin(millisLeft(daemonsShare)), { share: daemonsShare, remains: leaving.left })
  // A command under way is a request under way: it ends, or the deadline does. So is one whose caller left its key.
  yield* step("requests", Effect.andThen(server.settled, idempotentRuns.settled), {
    share: requestsShare,
    remains: () => server.exchanges.live
  })
  yield* step("sockets", sockets.closeAll, { remains: sockets.size })
  // What the sockets' end decided is an outcome too, and is kept.
  yield* step("outcomes", Effect.timeoutOption(idempotentRuns.settled, outcomesDrainMillis))
  yield* Fiber.await(deliveries)
  const left = yield* supervisor.awaitEmpty(0, ["daemon", "subscriber"])
  if (left.length > 0) yield* Effect.logWarning("actors were left at the end of the drain", { left })
})

/** Closes all of a node. What does not end even after the deadline is left behind: the process ends without it. */
export const close = (
  own: Scope.Closeable,
  { drainMillis }: Pick<Settings, "drainMillis">,
  exit: Exit.Exit<unknown, unknown>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const closing = yield* Effect.forkDetach(Scope.close(own, exit), { startImmediately: true })
    const ended = Effect.timeoutOption(Effect.interruptible(Fiber.await(closing)), drainMillis + closeMillisMax)
    const how = yield* ended
    if (Option.isNone(how)) yield* Effect.logWarning("the stores did not close in time and are left as they are")
    else if (Exit.isSuccess(how.value)) yield* Effect.logInfo("closed")
    else {
      yield* Effect.logError("the hub did not end as it should; what was under way may be cut off", how.value.cause)
      // the process that ends so is no good one
      yield* Effect.failCause(how.value.cause)
    }
  })

const addressOf = ({ host }: Pick<Settings, "host">, { port, server }: Edge["Service"]): string =>
  `${server.secure ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`

/** Before anything is opened: a process that the system kills for its memory says nothing more. */
const tellMemory = ({ databaseUrl }: Settings) => {
  const { severity, found, remedy } = judgeMemory(memoryBytes(), databaseUrl === undefined)
  return severity === "ok" ? Effect.void : Effect.logWarning("memory is short", { found, remedy })
}

/** A node in a scope: it serves once this ends, and drains when the scope closes. */
export const startNode = <E, R>(settings: Settings, options: NodeOptions<E, R> = {}) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* Effect.addFinalizer((exit) => close(scope, settings, exit))
    // for every connection of this process, those of libraries included
    setDefaultAutoSelectFamilyAttemptTimeout(addressMillisMax)
    yield* checkTls(settings)
    yield* tellMemory(settings)
    const started = Latch.makeUnsafe(false)
    // On a server nothing is opened that would take as long, and other nodes may look on.
    const work = settings.databaseUrl === undefined ? yield* Scope.provide(makeStartWork, scope) : undefined
    const build = <A, E, R>(layer: Layer.Layer<A, E, R>) =>
      Layer.buildWithScope(layer, scope).pipe(
        Effect.provideService(NodeStarted, started),
        Effect.provideService(StartWork, work)
      )
    const hub = yield* build(hubLayer(settings))
    const edge = edgeLayer({ ...options, ...(work !== undefined && { beforeListening: work.done }) })
    const context = yield* build(Layer.provideMerge(edge, Layer.succeedContext(hub)))
    if (options.beside !== undefined) {
      const beside = options.beside(addressOf(settings, Context.get(context, Edge)))
      yield* Effect.provideContext(Effect.provideService(beside, Scope.Scope, scope), hub)
    }
    const leave = Effect.suspend(() => Effect.provideContext(drain(options.replaced?.() ?? false), context))
    yield* Scope.addFinalizer(scope, Effect.ignore(leave))
    const readiness = Context.get(context, Readiness)
    // the first probe is answered by this look, and waits behind no first round
    yield* readiness.waitingFor
    readiness.tell("start", true)
    started.openUnsafe()
    return context
  })

/** Says whether this node is one hub with the others of its Redis; the wire says why not, and when it stands. */
export const tellJoined = Effect.flatMap(Cluster, (cluster) => {
  if (cluster.isSingleNode) return Effect.void
  if (!cluster.isPartitioned()) return Effect.logInfo("REDIS_URL: this node and all others on it are one hub")
  return Effect.logWarning("REDIS_URL: this node is not joined yet, and on its own until the bus is connected")
})

/** Runs a hub until it is interrupted, then drains it. */
export const serve = <E>(
  settings: Settings,
  beside: (address: string) => Effect.Effect<void, E, HubServices | Scope.Scope>,
  how: ServeOptions = {}
): Effect.Effect<never, unknown> =>
  Effect.gen(function* () {
    const { sharedPort = false, replaced = () => false } = how
    const context = yield* startNode(settings, { beside, sharedPort, replaced })
    yield* Effect.provideContext(
      Effect.gen(function* () {
        const address = addressOf(settings, yield* Edge)
        if (how.told !== undefined) return yield* how.told(address)
        yield* Effect.logInfo("serving", {
          address,
          database: settings.databaseUrl === undefined ? "embedded" : "postgres"
        })
        yield* tellJoined
        if (settings.databaseUrl === undefined) {
          yield* noteAddress(settings.dataDir, address)
          yield* Effect.logInfo("the embedded database survives a kill of the process, not a loss of power")
        }
      }),
      context
    )
    return yield* Effect.never
  }).pipe(Effect.scoped, Effect.provide(logLayer(settings)))
