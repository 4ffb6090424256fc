/** H2: connections that say nothing, more than the hub has descriptors. */
import { type Attack, attackerAddress } from "./attack.ts"
import { emptyTally, keepOpen } from "./sockets.ts"

const descriptors = 2_048
const tinyDescriptors = 512
/** More than the hub has descriptors. */
const beyond = 150

/** Of one address. */
export const idleConnections: Attack = {
  finding: "H2",
  asks: `${descriptors + beyond} idle connections of one address to a hub with ${descriptors} descriptors`,
  cannot: ({ behind }) =>
    behind === undefined
      ? undefined
      : `connections that say nothing end at ${behind}, which opens none to the hub for them`,
  descriptors: (tiny) => (tiny ? tinyDescriptors : descriptors),
  strike: async (target) => {
    const tally = emptyTally()
    const from = (): string => attackerAddress(0)
    await keepOpen(target, (target.tiny ? tinyDescriptors : descriptors) + beyond, from, tally, target.reach)
    return { ...tally }
  }
}
