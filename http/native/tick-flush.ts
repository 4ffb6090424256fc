/**
 * One flush a tick. Inside a socket's callback uWebSockets.js corks that socket only, and what is written to another
 * one there goes out piece by piece; so writes to others are collected here and done after the tick, one cork a socket.
 * Owns the queue; knows no socket.
 */
import { callbacksBeforeFlushMax } from "../../src/limits/edge.ts"
import { count } from "../../src/runtime/metrics.ts"

/** Something that writes after the tick. */
export interface Writer {
  readonly flush: () => void
}

let waiting: Array<Writer> = []
let isScheduled = false
let callbacks = 0

const flush = (): void => {
  isScheduled = false
  callbacks = 0
  const due = waiting
  waiting = []
  for (const writer of due) {
    try {
      writer.flush()
    } catch {
      // One socket's failed write must not lose the others'. The socket is closing, and its close callback tells.
      count("hub_defects_total", "flush")
    }
  }
}

/**
 * Flushes a writer after this tick, in the order of asking. The queue is bounded by the sockets and exchanges there
 * are.
 */
export const flushLater = (writer: Writer): void => {
  waiting.push(writer)
  if (isScheduled) return
  isScheduled = true
  setImmediate(flush)
}

/**
 * A callback of many in one tick, of which there may be tens of thousands when a crowd goes or comes: from time to time
 * what waits is written before the rest of them, with more system calls a socket. Call it last in the callback.
 */
export const flushIfCrowded = (): void => {
  if (isScheduled && ++callbacks >= callbacksBeforeFlushMax) flush()
}

/** Runs a write after this tick. */
export const afterTick = (write: () => void): void => flushLater({ flush: write })

/** The earlier name, by which response-writer.ts still imports it. */
export const later = afterTick
