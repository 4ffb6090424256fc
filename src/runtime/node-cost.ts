/**
 * What this node parses for all accounts together. Owns that one budget; what each account may have parsed by itself
 * are budgets of those who parse. The unit is src/domain/limits/cost.ts's.
 */
import { Context, Effect, Layer } from "effect"
import { FairDebts } from "../domain/limits/fair-debts.ts"
import { nodeCostMax, nodeCostPerSecond, nodeCostTurn } from "../limits/cost.ts"
import { Timers } from "./timers.ts"

/** The budget of a node. `now`: milliseconds of a clock that is never set. */
export const makeNodeCost = (now: () => number): FairDebts =>
  new FairDebts(nodeCostPerSecond, nodeCostMax, nodeCostTurn, now)

/** It, by account; those of whom none is known are one together. */
export class NodeCost extends Context.Service<NodeCost, FairDebts>()("hub/NodeCost") {
  static readonly layer: Layer.Layer<NodeCost, never, Timers> = Layer.effect(
    NodeCost,
    Effect.map(Timers, ({ monotonic }) => makeNodeCost(monotonic))
  )
}
