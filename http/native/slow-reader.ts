/**
 * Whether a peer reads what waits for it. Owns the looks: they begin when something found no room, and end when nothing
 * waits any more, or when nothing was taken at so many of them in a row. Knows no socket.
 */

import { idleLooksMax, readingLookMillis } from "../../src/limits.ts"
import type { Timer, Timers } from "../../src/runtime/timers.ts"

/** What is looked at. */
export interface Reader {
  /** Bytes that the kernel took so far, once it was offered what waits; undefined when nothing waits. */
  readonly takenBytes: () => number | undefined
  /** The looks are over. Called once, unless they are cleared. */
  readonly onVerdict: (reads: boolean) => void
}

/**
 * Looks until it is known whether the peer reads. Looks are counted, and no span is measured: a node that stood still
 * for a while looks once when it goes on, and hears then what was taken meanwhile.
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
