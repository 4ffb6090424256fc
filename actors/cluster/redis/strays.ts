/**
 * Daemons that Redis assigns to this node but that have no connection here, because a reply was lost or a handshake
 * never completed. Owns their return: into a grace period on this node, or back to no node.
 */
import type { LocalRoster } from "../cluster.ts"
import type { Connected, Records } from "./records.ts"

/** Whoever finds them. */
export class Strays {
  private readonly node: string
  private readonly records: Pick<Records, "held" | "find" | "release" | "told">
  private readonly isAwaited: (daemonId: string) => boolean

  /** `isAwaited`: a connection, an arrival or an end of this node still has to do with the daemon. */
  constructor(
    node: string,
    records: Pick<Records, "held" | "find" | "release" | "told">,
    isAwaited: (daemonId: string) => boolean
  ) {
    this.node = node
    this.records = records
    this.isAwaited = isAwaited
  }

  /** Looks for all of them. Rejects midway when Redis does not answer. */
  async bringBack(roster: LocalRoster): Promise<void> {
    for (const one of await this.records.held()) await this.bringBackOne(roster, one)
  }

  /** Looks for one. */
  async bringBackOne(
    roster: LocalRoster,
    { accountId, daemonId }: Pick<Connected, "accountId" | "daemonId">
  ): Promise<void> {
    if (roster.epochOf(daemonId) !== undefined) return
    const record = await this.records.find(accountId, daemonId)
    if (record?.node !== this.node) return
    const { epoch, snapshot } = record
    const one = { accountId, daemonId, epoch }
    // asked after Redis was: a connection or an end may have come meanwhile
    if (roster.epochOf(daemonId) !== undefined || this.isAwaited(daemonId)) return
    if (snapshot !== undefined) return roster.adopt(snapshot)
    // never welcomed anywhere: nothing was told of it
    if ((await this.records.release(one, false)).ours) await this.records.told(one)
  }
}
