/**
 * H7: what an account has the hub keep: deliveries that fail, and outcomes of calls with an `Idempotency-Key`; no text
 * compresses.
 */
import type { Socket } from "node:net"
import type { Attack } from "./attack.ts"
import { askAgain, type DaemonTally, keepDaemons, named, repeatedly } from "./attacker-daemons.ts"
import { eventText, noise } from "./attacker-events.ts"
import { resultText } from "./daemon-socket.ts"

const daemons = 20
const webhooks = 2
/** Just below 100 frames in 10 s. */
const eventMillis = 105
const messageChars = 2_000
const buttons = 12
const buttonChars = 119
const addresses = 4
const callsOfAddress = 55
const resultChars = 1_000_000

let attempts = 0
const failing = (socket: Socket): void => {
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk) => {
    if (!chunk.includes("POST ")) return
    attempts++
    socket.end("HTTP/1.1 500 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
  })
}

/** Deliveries that wait for their next attempt. */
export const failingDeliveries: Attack = {
  finding: "H7",
  asks: `${daemons} daemons of one account, 9.5 events/s each with 3.4 KB of noise, to ${webhooks} webhooks that fail`,
  holds: (tiny) => ({ plan: "free", keys: 0, daemons: tiny ? 2 : daemons, webhooks }),
  receive: failing,
  strike: async (target) => {
    const tally: DaemonTally = { online: 0, closed: 0 }
    let acked = 0
    const hears = {
      acked: (count: number) => {
        acked += count
        target.reach()
      }
    }
    await keepDaemons(target, tally, hears, (socket) =>
      repeatedly(target, eventMillis, () => {
        const modalButtons = Array.from({ length: buttons }, () => noise(buttonChars))
        socket.send([eventText({ event: "agent:waiting_approval", modalMessage: noise(messageChars), modalButtons })])
        return socket.ready
      })
    )
    return { acked, attempts, ...tally }
  }
}

/** Outcomes kept for repeats. */
export const keptOutcomes: Attack = {
  finding: "H7",
  asks: `calls with an Idempotency-Key whose answers are 1 MB of noise, of a session from ${addresses} addresses`,
  holds: () => ({ plan: "free", keys: 0, daemons: 1 }),
  strike: async (target) => {
    const tally: DaemonTally = { online: 0, closed: 0 }
    const { session, daemons: own = [] } = target.holder ?? {}
    const chars = target.tiny ? resultChars / 10 : resultChars
    const ask = (caller: number, turn: number) => ({
      method: "POST",
      path: `/api/v1/daemons/${own[0]?.daemonId}/command`,
      headers: {
        authorization: `Bearer ${session}`,
        "content-type": "application/json",
        "idempotency-key": `siege-${caller}-${turn}`
      },
      body: '{"type":"read_chat","payload":{}}'
    })
    const command = (id: string, socket: { send: (texts: ReadonlyArray<string>) => boolean }): void =>
      void socket.send([resultText(id, `"${noise(chars)}"`)])
    let asking: Promise<Record<string, number>> | undefined
    await keepDaemons(target, tally, { command }, () => {
      asking ??= askAgain(target, addresses, ask, callsOfAddress)
    })
    const statuses = (await asking) ?? {}
    return { ...tally, ...named(statuses) }
  }
}
