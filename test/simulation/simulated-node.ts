/**
 * One node of a simulated hub: the product's own layers, from the sockets' port to the stores' ports, over simulated
 * stores, bus and receivers. Owns the composition and the node's life. Without uWebSockets.js, HTTP and SQL.
 */
import { Context, Effect, Exit, type Fiber, Layer, Scope } from "effect"
import { clusterLayer } from "../../actors/cluster/live-cluster.ts"
import { CommandRecords } from "../../actors/command-records/command-records.ts"
import { Directory } from "../../actors/commands/directory.ts"
import { FleetTagging } from "../../actors/commands/fleet-tagging.ts"
import { StoredCommands } from "../../actors/commands/stored-commands.ts"
import { Connections } from "../../actors/connections/connections.ts"
import { DaemonDrain } from "../../actors/connections/daemon-drain.ts"
import { TokenCache } from "../../actors/connections/token-cache.ts"
import { DaemonEvents } from "../../actors/events/daemon-events.ts"
import { DaemonTags } from "../../actors/events/daemon-tags.ts"
import { Dispatcher } from "../../actors/events/dispatcher.ts"
import { LiveStreams } from "../../actors/events/live-streams.ts"
import { RateLimits } from "../../actors/limits/rate-limits.ts"
import { VolumeBudgets } from "../../actors/limits/volume-budgets.ts"
import { PresenceWriter } from "../../actors/presence/presence-writer.ts"
import { Roster } from "../../actors/presence/roster.ts"
import { SnapshotWriter } from "../../actors/presence/snapshot-writer.ts"
import { Supervisor } from "../../actors/runtime/supervisor.ts"
import { WorkerThread } from "../../actors/runtime/worker-thread.ts"
import { DropReporter } from "../../actors/webhooks/delivery-admission.ts"
import { Outcomes } from "../../actors/webhooks/outcomes.ts"
import { Subscribers } from "../../actors/webhooks/service.ts"
import { SubscriptionIndex } from "../../actors/webhooks/subscription-index.ts"
import { SecretBox } from "../../src/auth/secret-box.ts"
import { layerRedis } from "../../src/bus/layer.ts"
import { RedisTransport } from "../../src/bus/redis-transport.ts"
import { Config, defaultSettings, type Settings } from "../../src/config.ts"
import { Outbound } from "../../src/outbound/post.ts"
import { DrainDeadline } from "../../src/runtime/drain-deadline.ts"
import { layerLog } from "../../src/runtime/log.ts"
import { NodeCost } from "../../src/runtime/node-cost.ts"
import { NodeId } from "../../src/runtime/node-id.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { silentAuditLog } from "../support/silent-audit-log.ts"
import { silentPush } from "../support/silent-push.ts"
import { stunOnly } from "../support/stun-only.ts"
import type { BusLine, SimulatedBus } from "./bus.ts"
import { storesOf } from "./store/ports.ts"
import type { StoreLine } from "./store/store-access.ts"
import { VirtualProcess, type VirtualTime } from "./virtual-time.ts"

const settings: Settings = {
  ...defaultSettings,
  secretKey: new Uint8Array(32),
  databaseUrl: "postgres://simulated",
  logLevel: "none",
  connectsPerSecond: 1_000,
  drainMillis: 4_000,
  reconnectSpreadMillis: 1_000,
  rateKeyPerMinute: 30,
  webhookRetriesSeconds: [1, 2, 4, 8]
}

const box = Layer.mock(SecretBox, {
  seal: (text) => text,
  open: (text) => Effect.succeed(text),
  derive: () => new Uint8Array(32)
})

const layerOf = (line: StoreLine, bus: BusLine, outbound: Outbound["Service"]) => {
  const transport = Layer.succeed(RedisTransport, bus.transport)
  const daemons = Layer.mergeAll(DaemonDrain.layer, StoredCommands.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(Connections.layer, Directory.layer, FleetTagging.layer)),
    Layer.provideMerge(clusterLayer),
    Layer.provideMerge(Roster.layer),
    Layer.provideMerge(PresenceWriter.layer),
    Layer.provideMerge(Layer.mergeAll(SnapshotWriter.layer, TokenCache.layer, stunOnly, CommandRecords.layer)),
    Layer.provideMerge(
      Layer.mergeAll(
        DaemonEvents.layer.pipe(Layer.provide(Layer.merge(silentAuditLog, silentPush))),
        WorkerThread.layer
      )
    )
  )
  const deliveries = Dispatcher.layer.pipe(
    Layer.provideMerge(Subscribers.layer),
    Layer.provideMerge(
      Layer.mergeAll(SubscriptionIndex.layer, Outcomes.layer, Layer.succeed(Outbound, outbound), LiveStreams.layer)
    ),
    Layer.provideMerge(DropReporter.layer)
  )
  return daemons.pipe(
    Layer.provideMerge(deliveries),
    Layer.provideMerge(Layer.merge(VolumeBudgets.layer, NodeCost.layer)),
    Layer.provideMerge(Layer.mergeAll(Layer.provideMerge(layerRedis, transport), DaemonTags.layer)),
    // the shared windows are Redis's own
    Layer.provideMerge(RateLimits.layer),
    Layer.provideMerge(Layer.mergeAll(Layer.provideMerge(Supervisor.layer, Timers.layer), box, DrainDeadline.layer)),
    Layer.provideMerge(storesOf(line)),
    Layer.provideMerge(Layer.mergeAll(Config.layer(settings), Layer.succeed(NodeId, line.process.name))),
    Layer.provideMerge(layerLog(settings, true))
  )
}

/** What a node offers. */
export type NodeServices = Layer.Success<ReturnType<typeof layerOf>>

/** A node. */
export class SimulatedNode {
  readonly process: VirtualProcess
  readonly line: StoreLine
  readonly bus: BusLine
  /** It stops: nothing new is asked of it. */
  stopping = false
  private readonly time: VirtualTime
  private readonly scope = Scope.makeUnsafe()
  private services: Context.Context<NodeServices> | undefined

  constructor(
    name: string,
    world: { readonly time: VirtualTime; readonly bus: SimulatedBus },
    lineOf: (process: VirtualProcess) => StoreLine,
    outboundFor: (process: VirtualProcess) => Outbound["Service"],
    failed: (why: unknown) => void
  ) {
    this.time = world.time
    this.process = new VirtualProcess(name)
    this.line = lineOf(this.process)
    this.bus = world.bus.join(this.process)
    const layer = Layer.fresh(layerOf(this.line, this.bus, outboundFor(this.process)))
    this.fork(Layer.buildWithScope(layer, this.scope)).addObserver((exit) => {
      if (Exit.isSuccess(exit)) this.services = exit.value
      else failed(exit.cause)
    })
  }

  /** It has started, and neither stops nor is it killed. */
  get isUp(): boolean {
    return this.services !== undefined && !this.stopping && !this.process.dead
  }

  get<I extends NodeServices, S>(service: Context.Key<I, S>): S {
    return Context.get(this.services as unknown as Context.Context<I>, service)
  }

  /** Runs this on the node. */
  run<A, E>(effect: Effect.Effect<A, E, NodeServices>): Fiber.Fiber<A, E> {
    return this.fork(Effect.provideContext(effect, this.services!))
  }

  /** Ends it in good order: its daemons go to others, then everything closes. */
  stop(): Fiber.Fiber<void> {
    this.stopping = true
    const leave = Effect.gen(function* () {
      yield* (yield* Directory).endWatches
      const deliveries = yield* Effect.forkDetach((yield* Subscribers).drain, { startImmediately: true })
      yield* Effect.timeoutOption((yield* DaemonDrain).begin(settings.drainMillis), settings.drainMillis)
      yield* Effect.exit(Effect.sync(() => deliveries))
    })
    return this.fork(
      Effect.andThen(Effect.exit(Effect.provideContext(leave, this.services!)), Scope.close(this.scope, Exit.void))
    )
  }

  private fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    return Effect.runForkWith(this.time.services(this.process))(effect)
  }
}
