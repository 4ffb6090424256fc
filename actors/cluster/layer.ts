/** The cluster as this node sees it: over Redis where there is one, else of one node. Owns the choice. */
import { Effect, Layer, Option } from "effect"
import { Wire } from "../../src/bus/redis-transport.ts"
import { Wheel } from "../../src/runtime/timers.ts"
import { Daemons } from "../../src/store/daemons/daemons.ts"
import { Nodes } from "../../src/store/daemons/nodes.ts"
import { Others } from "./cluster.ts"
import { makeOthers } from "./redis/redis-cluster.ts"
import { singleNode } from "./single-node.ts"

/** The other nodes, if there are any. */
export const clusterLayer: Layer.Layer<Others, never, Wheel | Daemons | Nodes> = Layer.effect(
  Others,
  Effect.gen(function* () {
    const [wheel, daemons, nodes] = [yield* Wheel, yield* Daemons, yield* Nodes]
    const wire = Option.getOrUndefined(yield* Effect.serviceOption(Wire))
    return wire === undefined ? singleNode(daemons) : yield* makeOthers(wire, wheel, daemons, nodes)
  })
)
