/**
 * Checks the daemons of this node against the store, because a message about an order or a newer connection may have
 * been lost. Owns the schedule of the checks, and closes the connections that the store rejects.
 */
import { Effect } from "effect"
import type { Overloaded, StoreFailed } from "../../src/errors.ts"
import { nodeStepDaemons } from "../../src/limits/nodes.ts"
import type { PresenceStore, Standing } from "../../src/store/daemons/presence.ts"
import type { PresenceWriter } from "../presence/presence-writer.ts"
import type { Roster } from "../presence/roster.ts"

/** Checks of all daemons, a step at a time. */
export interface PresenceCheck {
  /** From here on all are to be checked. */
  readonly doubt: () => void
  /** Checks the next step. False: nothing is left. When the store gives no answer the step is still to be done. */
  readonly step: Effect.Effect<boolean, Overloaded | StoreFailed>
}

interface CheckContext {
  readonly writer: Pick<PresenceWriter["Service"], "node" | "exclusive" | "doubt">
  readonly store: Pick<PresenceStore["Service"], "standings">
  readonly roster: Pick<Roster["Service"], "all" | "find" | "ordered" | "moved" | "reclaim" | "tagged">
}

/** A daemon that the store does not have any more: nothing is left that could be connected. */
const removed = (daemonId: string): Standing => ({
  daemonId,
  epoch: 0,
  node: null,
  revoked: true,
  accountDisabled: false
})

/** Acts on how a daemon stands. True: its connection is to be stated again. */
const judge = ({ roster, writer }: CheckContext, standing: Standing, asked: number | undefined): boolean => {
  const { daemonId, epoch, node, revoked, accountDisabled, ownerTags } = standing
  if (ownerTags != null) roster.tagged(daemonId, ownerTags)
  // another connection may have come while the store was asked
  if (asked === undefined || roster.find(daemonId)?.snapshot.epoch !== asked) return false
  if (revoked) roster.ordered(daemonId, "revoked")
  else if (accountDisabled) roster.ordered(daemonId, "disabled")
  else if (epoch > asked && node === writer.node) writer.doubt()
  else if (epoch > asked) roster.moved(daemonId, epoch)
  else return node !== writer.node
  return false
}

/** Nothing is in doubt. */
export const makePresenceCheck = (context: CheckContext): PresenceCheck => {
  const { roster, store, writer } = context
  let doubted: Array<string> = []
  let all = false
  return {
    doubt: () => {
      all = true
    },
    step: Effect.gen(function* () {
      if (doubted.length === 0 && all) {
        all = false
        doubted = roster.all().map(({ snapshot }) => snapshot.daemonId)
      }
      const some = doubted.slice(-nodeStepDaemons)
      if (some.length === 0) return false
      const asked = new Map<string, number | undefined>()
      const read = Effect.suspend(() => {
        for (const id of some) asked.set(id, roster.find(id)?.snapshot.epoch)
        return store.standings(some)
      })
      const standings = new Map((yield* writer.exclusive(read)).map((one) => [one.daemonId, one]))
      const again = some.filter((id) => judge(context, standings.get(id) ?? removed(id), asked.get(id)))
      yield* Effect.forEach(again, roster.reclaim, { concurrency: nodeStepDaemons, discard: true })
      doubted.length -= some.length
      return true
    })
  }
}
