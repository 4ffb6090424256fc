/** The budget of a node that nothing else uses, which a test may read. */
import { Layer } from "effect"
import { makeNodeCost, NodeCost } from "../../src/runtime/node-cost.ts"

/** It, whose time stands still: what is owed stays. */
export const heldNodeCost = makeNodeCost(() => 0)
/** It, as a service. */
export const heldNodeCostLayer = Layer.succeed(NodeCost, heldNodeCost)
