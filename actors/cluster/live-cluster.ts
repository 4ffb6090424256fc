/**
 * The cluster, of one node or of several over Redis: the same code except for the requests between nodes. Owns the
 * periodic work (heartbeat, takeover, checks) and the messages from other nodes.
 */
import { Effect, Layer, Option } from "effect"
import { RedisTransport } from "../../src/bus/redis-transport.ts"
import { nodeRenewMillis } from "../../src/limits/nodes.ts"
import { NodeCost } from "../../src/runtime/node-cost.ts"
import { type Repetition, repeatEvery } from "../../src/runtime/repeat-every.ts"
import { atStart } from "../../src/runtime/start-work.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Daemons } from "../../src/store/daemons/daemons.ts"
import { Nodes } from "../../src/store/daemons/nodes.ts"
import { PresenceStore } from "../../src/store/daemons/presence.ts"
import { PresenceWriter } from "../presence/presence-writer.ts"
import { Roster } from "../presence/roster.ts"
import { Cluster } from "./cluster.ts"
import { makeDaemonLocations } from "./daemon-locations.ts"
import { makeLocalDaemons } from "./local-daemons.ts"
import { makePresenceCheck } from "./presence-check.ts"
import { makeRpc } from "./redis/rpc.ts"
import { remoteDaemons } from "./remote-daemons.ts"
import { Takeover } from "./takeover.ts"

/** The cluster. A node that is alone takes over at its start what its earlier life held. */
export const clusterLayer = Layer.effect(Cluster)(Effect.suspend(() => make))

/** Each is work of its own, so that slow work delays no other. */
const steadily: Repetition = { atOnce: true, warnOnce: true }

const make = Effect.gen(function* () {
  const timers = yield* Timers
  const store = yield* PresenceStore
  const writer = yield* PresenceWriter
  const roster = yield* Roster
  const nodes = yield* Nodes
  const wire = Option.getOrUndefined(yield* Effect.serviceOption(RedisTransport))
  const local = yield* makeLocalDaemons
  const node = yield* NodeCost
  const charge = (accountId: string, cost: number): void => node.owe(accountId, cost)
  const rpc = wire && (yield* makeRpc(wire, timers, local, charge))
  const locations = yield* makeDaemonLocations(store)
  const check = makePresenceCheck({ writer, store, roster })
  const alone = wire === undefined
  const isPartitioned = (): boolean => wire?.away() === true
  const takeover = new Takeover({
    nodes,
    store,
    writer,
    roster,
    timers,
    alone,
    onBus: () => !alone && !isPartitioned(),
    silent: (dead) => rpc?.setUnreachable(dead)
  })

  if (wire === undefined) yield* atStart(takeover.takeOverAll)
  else {
    yield* wire.hear("moved", ({ message }) => {
      const { daemonId, epoch } = message as { readonly daemonId: string; readonly epoch: number }
      roster.moved(daemonId, epoch)
    })
    yield* wire.hear("drains", ({ from }) => locations.draining(from))
    yield* wire.gaps(() => {
      locations.clear()
      check.doubt()
    })
    const checkAll = Effect.gen(function* () {
      // while the line is away doubt has no end: one step per round then
      while ((yield* check.step) && !isPartitioned()) {
        // the next step
      }
    })
    yield* repeatEvery(nodeRenewMillis, "the heartbeat of this node failed", takeover.beat, steadily)
    yield* repeatEvery(nodeRenewMillis, "checking what this node holds failed", checkAll, steadily)
  }
  yield* repeatEvery(nodeRenewMillis, "a round over the nodes failed", takeover.round, {
    onceReady: true,
    warnOnce: true
  })

  return Cluster.of({
    ...remoteDaemons({
      local,
      locations,
      writer,
      daemons: yield* Daemons,
      rpc,
      isPartitioned,
      others: () => takeover.reachable()
    }),
    isSingleNode: alone,
    isPartitioned,
    isLastNode: alone
      ? Effect.succeed(true)
      : Effect.match(nodes.others(writer.node), {
          onFailure: () => false,
          onSuccess: (others) => others.every(({ node, alive }) => !alive || locations.isDraining(node))
        }),
    announceDrain: () => wire?.tellAll("drains", "{}")
  })
})
