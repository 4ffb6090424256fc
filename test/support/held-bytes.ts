/** Fills what may be held, for tests of what finds no room. */
import type { HeldBytes } from "../../src/domain/limits/held-bytes.ts"
import { bodiesInFlightBytesMax } from "../../src/limits/edge.ts"

/** Has others hold what they may of all bodies, each a part of what is left, and gives what lets it go. */
export const fillUp = (bodies: HeldBytes, left = 0): (() => void) => {
  const taken: Array<number> = []
  for (;;) {
    const share = Math.max(1, Math.floor((bodiesInFlightBytesMax - left - bodies.size) / 8))
    if (!bodies.take(`other ${taken.length}`, share, left)) break
    taken.push(share)
  }
  return () => {
    for (const [nth, bytes] of taken.entries()) bodies.give(`other ${nth}`, bytes)
  }
}
