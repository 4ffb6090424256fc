/** Frames of two bytes, tens of thousands in a read, of daemons that come back each time they are closed for them. */
import { textFrames } from "../fleet/frames.ts"
import type { Attack } from "./attack.ts"
import { type DaemonTally, keepDaemons } from "./attacker-daemons.ts"

const daemons = 20
const many = textFrames(Array.from({ length: 60_000 }, () => "{}"))

/** Of one free account. */
export const tinyFrames: Attack = {
  finding: "R1",
  asks: `${daemons} daemons send frames of two bytes without end, and come back when they are closed`,
  holds: (tiny) => ({ plan: "free", keys: 0, daemons: tiny ? 2 : daemons }),
  strike: async (target) => {
    const tally: DaemonTally = { online: 0, closed: 0 }
    let bytesSent = 0
    await keepDaemons(target, tally, {}, (socket) => {
      target.reach()
      const more = (): void => {
        if (!socket.ready || target.over()) return
        socket.raw(many, () => {
          bytesSent += many.length
          setImmediate(more)
        })
      }
      more()
    })
    return { ...tally, bytesSent }
  }
}
