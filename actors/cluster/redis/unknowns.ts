/**
 * Finds out, after Redis has lost its memory, whether the connect of a daemon was announced. The database knows once
 * all live nodes have recorded their announcements. Owns this wait. Draws no conclusions.
 */
import { nodeQuietMillis, nodeSettleMillis, nodeStepDaemons } from "../../../src/limits/nodes.ts"
import type { Lease } from "./lease.ts"
import type { Was } from "./records.ts"
import type { Recovery } from "./recovery.ts"

/** Who knows more. */
export interface Knowing {
  readonly recovery: Pick<Recovery, "apart" | "standings">
  readonly lease: Pick<Lease, "stale" | "alive" | "stands">
}

/**
 * Settles each of what waits; false: Redis does not know enough for it. `newest`: the number of its newest connection,
 * where `was` is given.
 */
export type Settling<A> = (one: A, was: Was, newest: number) => Promise<boolean>

/** Settles them by what Redis knows, and the rest by what the database does, if that is so already. */
export const settleAll = async <A>(
  { recovery, lease }: Knowing,
  all: ReadonlyArray<A>,
  idOf: (one: A) => string,
  settle: Settling<A>
): Promise<void> => {
  const unknown: Array<A> = []
  for (const one of all) if (!(await settle(one, undefined, 0))) unknown.push(one)
  // by then whoever hears Redis has noticed too
  if (unknown.length === 0 || lease.stale || lease.stands() < nodeSettleMillis) return
  const apart = await recovery.apart(lease.alive).catch(() => undefined)
  // whoever does not hear it has had the database know
  if (apart === undefined || (apart.length > 0 && lease.stands() < nodeQuietMillis)) return
  for (let at = 0; at < unknown.length; at += nodeStepDaemons) {
    const step = unknown.slice(at, at + nodeStepDaemons)
    const standings = await recovery.standings(step.map(idOf))
    if (standings === undefined) return
    for (const one of step) {
      const { online = false, epoch = 0 } = standings.get(idOf(one)) ?? {}
      await settle(one, online ? "online" : "offline", epoch)
    }
  }
}
