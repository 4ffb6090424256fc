/** C1: requests behind one another, as many as a connection takes; answered, unknown and refused ones alike. */
import { type Attack, attackerAddress } from "./attack.ts"
import { emptyTally, flood, keepOpen } from "./sockets.ts"

const repeats = 400
const many = 200
const paths = ["/healthz", "/siege", "/api/v1/daemons"]

const from = (connections: number): Attack => ({
  finding: "C1",
  asks: `pipelined requests without end on ${connections} connection${connections === 1 ? "" : "s"} of one address`,
  strike: async (target) => {
    const text = paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: ${target.url.host}\r\n\r\n`).join("")
    const bytes = Buffer.from(text.repeat(repeats))
    const tally = emptyTally()
    const count = target.tiny ? Math.min(connections, 5) : connections
    await keepOpen(
      target,
      count,
      () => attackerAddress(0),
      tally,
      (socket) => flood(socket, bytes, tally, target.over)
    )
    return { ...tally }
  }
})

/** On one connection. */
export const pipelinedRequests: Attack = from(1)
/** On many of one address. */
export const pipelinedOnMany: Attack = from(many)
