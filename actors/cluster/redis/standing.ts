/**
 * Checks the daemons of this node against the store, because a message about an order or a newer connection may have
 * been lost. Owns the schedule of the checks, and closes the connections that the store rejects.
 */
import { nodeStepDaemons } from "../../../src/limits/nodes.ts"
import type { Standing } from "../../../src/store/daemons/daemons.ts"
import type { LocalRoster } from "../cluster.ts"

/** Checks of all daemons, a step at a time. */
export interface Standings {
  /** From here on all are to be checked. */
  readonly doubt: () => void
  /**
   * Checks the next step. False: nothing is left. Rejects when the store gives no answer; the step is then still to be
   * done.
   */
  readonly step: (roster: LocalRoster) => Promise<boolean>
}

const judge = (roster: LocalRoster, standing: Standing, asked: number | undefined): void => {
  const { daemonId, epoch, revoked, accountDisabled } = standing
  // another connection may have come while the store was asked
  if (asked === undefined || roster.epochOf(daemonId) !== asked) return
  if (revoked) roster.ordered(daemonId, "revoked")
  else if (accountDisabled) roster.ordered(daemonId, "disabled")
  else if (epoch > asked) roster.superseded(daemonId, asked)
}

/** One that the store does not have any more: nothing is left that could be connected. */
const removed = (daemonId: string): Standing => ({
  daemonId,
  epoch: 0,
  revoked: true,
  accountDisabled: false,
  online: false
})

/** Nothing is in doubt. */
export const makeStandings = (
  read: (daemonIds: ReadonlyArray<string>) => Promise<ReadonlyArray<Standing>>
): Standings => {
  let doubted: Array<string> = []
  let all = false
  return {
    doubt: () => {
      all = true
    },
    step: async (roster) => {
      if (doubted.length === 0 && all) {
        all = false
        doubted = Array.from(roster.rows(), ({ daemonId }) => daemonId)
      }
      const some = doubted.slice(-nodeStepDaemons)
      if (some.length === 0) return false
      const asked = new Map(some.map((id) => [id, roster.epochOf(id)]))
      const standings = new Map((await read(some)).map((one) => [one.daemonId, one]))
      for (const [id, epoch] of asked) judge(roster, standings.get(id) ?? removed(id), epoch)
      doubted.length -= some.length
      return true
    }
  }
}
