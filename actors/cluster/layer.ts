/** Chooses the cluster: over Redis if there is one, otherwise a single node. Owns only this choice. */
import { Effect, Layer, Option } from "effect"
import { RedisTransport } from "../../src/bus/redis-transport.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Daemons } from "../../src/store/daemons/daemons.ts"
import { Nodes } from "../../src/store/daemons/nodes.ts"
import { Cluster } from "./cluster.ts"
import { makeRedisCluster } from "./redis/redis-cluster.ts"
import { singleNode } from "./single-node.ts"

/** The other nodes, if there are any. */
export const clusterLayer: Layer.Layer<Cluster, never, Timers | Daemons | Nodes> = Layer.effect(
  Cluster,
  Effect.gen(function* () {
    const [timers, daemons, nodes] = [yield* Timers, yield* Daemons, yield* Nodes]
    const wire = Option.getOrUndefined(yield* Effect.serviceOption(RedisTransport))
    return wire === undefined ? singleNode(daemons) : yield* makeRedisCluster(wire, timers, daemons, nodes)
  })
)
