/**
 * A limit on concurrent work, in total and per owner, so that one owner cannot block all others, and few hardly. Owns
 * the counts; keeps no entry for an owner that holds no slot.
 */
import { shareOfFree } from "../../limits/edge.ts"

/** `acquire` returns the release of a slot (twice is once); undefined when none is free. */
export interface SlotLimit {
  readonly acquire: (owner: string) => (() => void) | undefined
}

/**
 * Makes a limit of `all` slots, of which one owner may hold `each`: as long as it is this share of what it leaves free,
 * where that is not all of them. The first is any free one.
 */
export const makeSlotLimit = (all: number, each: number, share = shareOfFree): SlotLimit => {
  let inUse = 0
  const inUseBy = new Map<string, number>()
  return {
    acquire: (owner) => {
      const own = inUseBy.get(owner) ?? 0
      if (inUse >= all || own >= each) return undefined
      if (own > 0 && each < all && own + 1 > (all - inUse - 1) * share) return undefined
      inUse += 1
      inUseBy.set(owner, own + 1)
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        inUse -= 1
        const left = inUseBy.get(owner)! - 1
        if (left === 0) inUseBy.delete(owner)
        else inUseBy.set(owner, left)
      }
    }
  }
}
