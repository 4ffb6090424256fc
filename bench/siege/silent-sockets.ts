/** M1: sockets that are opened and never say who they are: held by a few addresses, or opened and dropped by one. */
import type { Socket } from "node:net"
import { dial, whenOpen } from "../load/dial.ts"
import { type Attack, attackerAddress, type Target } from "./attack.ts"
import { emptyTally, keepOpen, type Tally, upgradeUnauthenticated } from "./sockets.ts"

const heldEach = 400
const addresses = 3
const churners = 64

/** Held. */
export const heldSockets: Attack = {
  finding: "M1",
  asks: `${addresses} addresses hold ${heldEach} silent sockets each`,
  strike: async (target) => {
    const tally = emptyTally()
    let accepted = 0
    const from = (at: number): string => attackerAddress(at % addresses)
    await keepOpen(target, target.tiny ? 60 : addresses * heldEach, from, tally, (socket) =>
      upgradeUnauthenticated(socket, target.url, () => accepted++)
    )
    return { accepted, ...tally }
  }
}

/** One that opens, is accepted or refused, and drops the connection; until the attack is over. */
const churning = async ({ url, over, ended, reach }: Target, tally: Tally): Promise<void> => {
  let open: Socket | undefined
  void ended.then(() => open?.destroy())
  while (!over()) {
    const socket = dial(url, attackerAddress(0))
    open = socket
    await new Promise<void>((done) => {
      whenOpen(socket, () => {
        tally.opened++
        upgradeUnauthenticated(socket, url, () => socket.destroy())
      })
      socket.on("data", (chunk) => {
        tally.bytesReceived += chunk.length
        reach()
      })
      socket.on("error", () => socket.destroy())
      socket.on("close", () => done())
    })
  }
}

/** Opened and dropped. */
export const churnedSockets: Attack = {
  finding: "M1",
  asks: `one address opens sockets and drops them, ${churners} at a time`,
  strike: async (target) => {
    const tally = emptyTally()
    await Promise.all(Array.from({ length: target.tiny ? 8 : churners }, () => churning(target, tally)))
    return { ...tally }
  }
}
