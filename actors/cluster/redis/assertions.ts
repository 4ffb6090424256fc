/**
 * Registers the connections of this node again in a Redis that may have lost them or assigned them to other nodes.
 * Owns the replies of Redis and their consequence for a live connection. holding.ts decides when to register, and
 * handles new connections.
 */
import type { RedisTransport } from "../../../src/bus/redis-transport.ts"
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import { nodeStepDaemons } from "../../../src/limits/nodes.ts"
import type { LocalRoster } from "../cluster.ts"
import type { Debts } from "./debts.ts"
import type { Doubts } from "./doubts.ts"
import type { Lease } from "./lease.ts"
import type { Records, Took, Was } from "./records.ts"
import type { Recovery } from "./recovery.ts"

/** What they are made with. */
export interface Asserted {
  readonly wire: Pick<RedisTransport["Service"], "node" | "tellNode">
  readonly records: Pick<Records, "assert">
  readonly recovery: Pick<Recovery, "apart" | "standings">
  readonly debts: Debts
  readonly doubts: Doubts
  readonly lease: Pick<Lease, "alive">
  readonly roster: () => LocalRoster | undefined
}

/** What this node says again. */
export class Assertions {
  private readonly with: Asserted

  constructor(given: Asserted) {
    this.with = given
  }

  /** Tells a node that a daemon is here now, at this epoch. */
  tellMoved(node: string | undefined, daemonId: string, epoch: number): void {
    const { wire } = this.with
    if (node === undefined || node === "" || node === wire.node) return
    wire.tellNode(node, "moved", JSON.stringify({ daemonId, epoch }), () => {})
  }

  /** Any of this node's; what the word means is the caller's. */
  async one(snapshot: Snapshot, was: Was): Promise<Took> {
    const { daemonId, epoch } = snapshot
    const { wire, records } = this.with
    const first = await records.assert(snapshot, { was })
    const gone = first.word === "pending" && (await this.isGone(first.ower)) ? first.ower : undefined
    const took = gone === undefined ? first : await records.assert(snapshot, { was, gone })
    const { word, before } = took
    // a newer one that is here too goes on
    if (word === "fenced" && before?.node !== wire.node) this.with.roster()?.moved(daemonId, before?.epoch ?? epoch)
    else if (word !== "fenced") this.tellMoved(first.before?.node, daemonId, epoch)
    return took
  }

  /** One that goes on, as far as this node knows. False when Redis does not know enough to say whether it does. */
  async own(snapshot: Snapshot, was: Was): Promise<boolean> {
    const { daemonId, epoch } = snapshot
    const { debts, doubts } = this.with
    const { word } = await this.one(snapshot, was)
    const questioned = word === "pending" || word === "unknown"
    if (questioned) doubts.question(snapshot)
    else doubts.remove(snapshot)
    const roster = this.with.roster()
    if (word === "first" || word === "ended") {
      roster?.begunAnew(daemonId, epoch)
      if (roster?.epochOf(daemonId) === epoch) await debts.pay(snapshot)
    } else roster?.doubted(daemonId, epoch, questioned)
    return word !== "unknown"
  }

  /**
   * All but who is only arriving, one after the other. `knows`: Redis has not lost its memory. `absent`: this node may
   * have been taken for dead, and ends been told.
   */
  async all(knows: boolean, absent: boolean, isArriving: (daemonId: string) => boolean): Promise<void> {
    const { roster, doubts, recovery } = this.with
    const rows = [...(roster()?.rows() ?? [])]
    for (let at = 0; at < rows.length; at += nodeStepDaemons) {
      const step = rows.slice(at, at + nodeStepDaemons)
      const standings = knows ? undefined : await recovery.standings(step.map(({ daemonId }) => daemonId))
      for (const snapshot of step) {
        const { daemonId, epoch } = snapshot
        if (isArriving(daemonId) || roster()?.epochOf(daemonId) !== epoch) continue
        const { epoch: newest = 0, online } = standings?.get(daemonId) ?? {}
        // that a newer one came elsewhere, and what became of it, this node may not have heard
        const questioned = doubts.isQuestioned(daemonId) || newest > epoch || (absent && online !== true)
        await this.own(snapshot, questioned ? undefined : "here")
      }
    }
  }

  /** Whether a node will tell nothing any more. */
  private async isGone(node: string): Promise<boolean> {
    const { wire, recovery, lease } = this.with
    if (node === wire.node || lease.alive.includes(node)) return false
    const apart = await recovery.apart(lease.alive).catch(() => undefined)
    return apart?.includes(node) === false
  }
}
