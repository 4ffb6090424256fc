/** H2: connections that say nothing, more than the hub has descriptors. */
import { type Attack, attackerAddress } from "./attack.ts"
import { emptyTally, keepOpen } from "./sockets.ts"

const descriptors = 2_048
const connections = 2_200

/** Of one address. */
export const idleConnections: Attack = {
  finding: "H2",
  asks: `${connections} idle connections of one address to a hub with ${descriptors} descriptors`,
  descriptors,
  strike: async (target) => {
    const tally = emptyTally()
    const from = (): string => attackerAddress(0)
    await keepOpen(target, connections, from, tally, () => {})
    return { reached: tally.opened, ...tally }
  }
}
