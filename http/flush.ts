/**
 * One flush a tick. Inside a socket's callback uWebSockets.js corks that socket only, and what is written to another one
 * there goes out piece by piece; so writes to others are collected here and done after the tick, one cork a socket.
 * Owns the queue and the only `setImmediate`; knows no socket.
 */
import { count } from "../src/telemetry.ts"

let waiting: Array<() => void> = []
let armed = false

const flush = (): void => {
  armed = false
  const due = waiting
  waiting = []
  for (const write of due) {
    try {
      write()
    } catch {
      // One socket's failed write must not lose the others'. The socket is closing, and its close callback tells.
      count("hub_defects_total", "flush")
    }
  }
}

/** Runs a write after this tick, in the order of asking. The queue is bounded by the sockets and exchanges there are. */
export const later = (write: () => void): void => {
  waiting.push(write)
  if (armed) return
  armed = true
  setImmediate(flush)
}
