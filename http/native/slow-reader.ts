/**
 * Detects a peer that does not read. Owns the checks: they begin when a frame found no room, and end when nothing is
 * buffered any more, or when several checks in a row saw no progress. Knows no socket.
 */

import { idleLooksMax, readingLookMillis } from "../../src/limits.ts"
import type { Timer, Timers } from "../../src/runtime/timers.ts"

/** The side that is checked. */
export interface Reader {
  /** Offers the buffered bytes to the kernel; the bytes it has taken so far. Undefined when nothing is buffered. */
  readonly takenBytes: () => number | undefined
  /** Called once, when the checks end; not after `clear`. */
  readonly onVerdict: (reads: boolean) => void
}

/**
 * Checks until it is known whether the peer reads. It counts checks instead of measuring time: a node that was
 * suspended checks once when it resumes, and sees then what the kernel took meanwhile.
 */
export const watchReader = (timers: Pick<Timers["Service"], "after">, reader: Reader): Timer => {
  let before = reader.takenBytes() ?? 0
  let idle = 0
  const look = (): void => {
    const taken = reader.takenBytes()
    if (taken === undefined) return reader.onVerdict(true)
    idle = taken > before ? 0 : idle + 1
    before = taken
    if (idle >= idleLooksMax) return reader.onVerdict(false)
    timer = timers.after(readingLookMillis, look)
  }
  let timer = timers.after(readingLookMillis, look)
  return { clear: () => timer.clear() }
}
