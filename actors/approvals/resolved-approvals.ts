/**
 * Who answered which question last, as the nodes that have the daemons tell each other. Owns that memory, which is
 * bounded and lost with the node: it only says more to who comes too late.
 */
import { Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { Bus } from "../../src/bus/bus.ts"
import type { Answered } from "../../src/domain/approval/answered.ts"
import { resolvedApprovalsMax } from "../../src/limits/approvals.ts"
import { entriesAtMost } from "../../src/runtime/entries-at-most.ts"

export class ResolvedApprovals extends Context.Service<
  ResolvedApprovals,
  {
    /** How a question was answered; undefined: it is not known here. */
    readonly find: (approvalId: string) => Answered | undefined
  }
>()("hub/ResolvedApprovals") {
  static readonly layer = Layer.effect(
    ResolvedApprovals,
    Effect.gen(function* () {
      const bus = yield* Bus
      const known = new LRUCache<string, Answered>(entriesAtMost(resolvedApprovalsMax))
      yield* bus.subscribe("approval_resolved", ({ approvalId, answered }) => void known.set(approvalId, answered))
      return ResolvedApprovals.of({ find: (approvalId) => known.get(approvalId) })
    })
  )
}
