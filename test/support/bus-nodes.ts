/**
 * Nodes of one hub in this process, without a socket, on one store that is a map and on a real Redis. Owns their start
 * and end and what each was told; judges nothing.
 */
import { Context, Effect, type Exit, Layer, ManagedRuntime } from "effect"
import { Cluster } from "../../actors/cluster/cluster.ts"
import { Directory } from "../../actors/commands/directory.ts"
import type { Connections } from "../../actors/connections/connections.ts"
import type { Roster } from "../../actors/presence/roster.ts"
import { layerRedis } from "../../src/bus/layer.ts"
import { RedisTransport } from "../../src/bus/redis-transport.ts"
import { defaultSettings } from "../../src/config.ts"
import type { CommandAnswer, CommandFailure } from "../../src/domain/command/command.ts"
import { layerLog } from "../../src/runtime/log.ts"
import { NodeId } from "../../src/runtime/node-id.ts"
import { authOf, dial, type FakePeer, type makeWorld, type Told } from "./daemon-services.ts"
import { busPatienceMillis, until } from "./until.ts"

const quiet = layerLog({ ...defaultSettings, logLevel: "none" }, true)

/** A node. */
export interface BusNode {
  readonly wire: RedisTransport["Service"]
  readonly run: <A, E>(effect: Effect.Effect<A, E, Directory | Roster | Connections>) => Promise<A>
  /** A daemon that was welcomed here. */
  readonly connect: (token: string, hostname: string) => Promise<FakePeer>
  /** What this node told of a daemon, as words, in order. */
  readonly told: (hostname: string) => ReadonlyArray<string>
  readonly command: (accountId: string, daemonId: string) => Promise<Exit.Exit<CommandAnswer, CommandFailure>>
  /** The hostnames of an account's daemons that are online on any node. */
  readonly online: (accountId: string) => Promise<ReadonlyArray<string>>
  /** Tells the others that this node drains; says whether all others do, too. */
  readonly drains: () => Promise<void>
  readonly alone: () => Promise<boolean>
  readonly close: () => Promise<void>
}

/** Starts one and waits until it has joined. `silenceMillis`: after which silence its line is away. */
export const startBusNode = async (
  world: ReturnType<typeof makeWorld>,
  url: string,
  disconnectGraceMillis: number,
  silenceMillis = busPatienceMillis
): Promise<BusNode> => {
  const told: Told = { log: [], reported: [] }
  const bus = Layer.provideMerge(
    layerRedis,
    Layer.provide(RedisTransport.layer(url, new Uint8Array(32), silenceMillis), NodeId.layer())
  )
  const layer = world.node(told, bus, { disconnectGraceMillis }).pipe(Layer.provideMerge(quiet))
  const runtime = ManagedRuntime.make(layer)
  const wire = Context.getOrUndefined(await runtime.context(), RedisTransport)!
  await until("the node has joined", () => !wire.away())
  const run: BusNode["run"] = (effect) => runtime.runPromise(effect)
  let ended = false
  return {
    wire,
    run,
    connect: async (token, hostname) => {
      const peer = (await run(dial))!
      peer.say("auth", authOf(token, { hostname }))
      await until("the daemon is welcomed", () => peer.of("auth_ok").length === 1)
      return peer
    },
    told: (hostname) => told.log.filter((what) => what.includes(hostname)).map((what) => what.split(" ")[0]!),
    command: (accountId, daemonId) =>
      run(
        Effect.exit(
          Effect.flatMap(Directory, (all) => all.command({ accountId, daemonId, type: "send_chat", payload: {} }))
        )
      ),
    online: async (accountId) =>
      (await run(Effect.flatMap(Directory, (all) => all.online(accountId)))).map(({ hostname }) => hostname),
    drains: () => runtime.runPromise(Effect.map(Cluster, (cluster) => cluster.announceDrain())),
    alone: () => runtime.runPromise(Effect.flatMap(Cluster, (cluster) => cluster.isLastNode)),
    close: async () => {
      if (!ended) await runtime.dispose()
      ended = true
    }
  }
}

/** The daemon's side: answers the next command it is sent. */
export const answers = async (peer: FakePeer, what: unknown): Promise<void> => {
  const before = peer.of("command").length
  const command = await until("a command comes", () => peer.of("command")[before])
  peer.say("command_result", { id: command["id"], success: true, result: what })
}
