/**
 * H4: reports that differ each time, as large and as often as a daemon may send them, from several daemons of one
 * account.
 */

import type { Attack } from "./attack.ts"
import { type DaemonTally, keepDaemons, repeatedly } from "./attacker-daemons.ts"

const daemons = 10
const sessions = 4_500
/** Nine of 0.85 MiB in ten seconds: just below what one daemon may send. */
const everyMillis = 1_120
const titleChars = 100

const report = (turn: number): string => {
  const title = `${turn} `.padEnd(titleChars, "x")
  const session = (at: number) =>
    `{"id":"s${at}","providerType":"x","kind":"agent","transport":"pty","status":"${turn % 2 === 0 ? "idle" : "generating"}","title":"${title}"}`
  const all = Array.from({ length: sessions }, (_, at) => session(at)).join(",")
  return `{"type":"status_report","data":{"timestamp":${Date.now()},"sessions":[${all}]}}`
}

/** Of one free account. */
export const changedReports: Attack = {
  finding: "H4",
  asks: `${daemons} daemons of one account send a changed report of 0.85 MiB each ${everyMillis} ms`,
  holds: (tiny) => ({ plan: "free", keys: 0, daemons: tiny ? 2 : daemons }),
  strike: async (target) => {
    const tally: DaemonTally = { online: 0, closed: 0 }
    let reports = 0
    await keepDaemons(target, tally, {}, (socket) => {
      let open = true
      const say = (): boolean => {
        open = open && socket.ready
        if (open) socket.send([report(reports++)])
        return open
      }
      target.reach()
      say()
      repeatedly(target, everyMillis, say)
    })
    return { reports, ...tally }
  }
}
