/**
 * One flush per tick. Inside a socket's callback uWebSockets.js corks that socket only, and writes to another one go
 * out piece by piece. So writes to other sockets are collected here and made after the tick, in one cork per socket.
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
      // One socket's failed write must not lose the others'. That socket is closing, and its close callback reports it.
      count("hub_defects_total", "flush")
    }
  }
}

/**
 * Flushes a writer after this tick, in the order of the calls. The number of sockets and exchanges bounds the queue.
 */
export const flushLater = (writer: Writer): void => {
  waiting.push(writer)
  if (isScheduled) return
  isScheduled = true
  setImmediate(flush)
}

/**
 * Flushes now and then within a tick that has very many callbacks, as when tens of thousands of daemons come or go, so
 * that waiting writes are not delayed by all of them; this costs more system calls per socket. Call it last in a
 * callback.
 */
export const flushIfCrowded = (): void => {
  if (isScheduled && ++callbacks >= callbacksBeforeFlushMax) flush()
}

/** Runs a write after this tick. */
export const afterTick = (write: () => void): void => flushLater({ flush: write })
