/**
 * H6: daemons of an account that is disabled while they are connected go on with events, and its webhook with
 * receiving.
 */
import type { Socket } from "node:net"
import type { Attack } from "./attack.ts"
import { type DaemonTally, keepDaemons, repeatedly } from "./attacker-daemons.ts"
import { eventText } from "./attacker-events.ts"

const daemons = 10
const eventMillis = 250
/** What was under way when the account was disabled may still end. */
const graceMillis = 1_000

let over = false
let delivered = 0
let deliveredAfter = 0

const receive = (socket: Socket): void => {
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk) => {
    if (!chunk.includes("POST ")) return
    delivered++
    if (over) deliveredAfter++
    socket.end("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")
  })
}

/** Of one free account. */
export const disabledAccount: Attack = {
  finding: "H6",
  asks: `${daemons} daemons and a webhook of an account that is disabled go on`,
  holds: (tiny) => ({ plan: "free", keys: 0, daemons: tiny ? 2 : daemons, webhooks: 1 }),
  receive,
  operator: ({ accountId }) => ["account", "disable", accountId],
  strike: async (target) => {
    const tally: DaemonTally = { online: 0, closed: 0 }
    let acked = 0
    let ackedAfter = 0
    void target.meanwhile.then(() => setTimeout(() => (over = true), graceMillis))
    const hears = {
      acked: (count: number) => {
        acked += count
        target.reach()
        if (over) ackedAfter += count
      }
    }
    await keepDaemons(target, tally, hears, (socket) =>
      repeatedly(target, eventMillis, () => {
        socket.send([eventText({ event: "agent:generating_completed", duration: 1 })])
        return socket.ready
      })
    )
    return { acked, delivered, ackedAfter, deliveredAfter, ...tally }
  },
  judge: ({ ackedAfter = 0, deliveredAfter = 0 }) =>
    ackedAfter + deliveredAfter === 0
      ? undefined
      : `disabled, it had ${ackedAfter} events acknowledged and ${deliveredAfter} delivered`
}
