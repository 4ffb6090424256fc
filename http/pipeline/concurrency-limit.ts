/**
 * A limit on concurrent work, in total and per address, so that one address cannot block all others, and few hardly.
 * Owns the counts; keeps no entry for an address that holds no slot.
 */
import { shareOfFree } from "../../src/limits/edge.ts"

/** `acquire` returns the release of a slot, to be called once; undefined when none is free. */
export interface ConcurrencyLimit {
  readonly acquire: (address: string) => (() => void) | undefined
}

/**
 * Makes a limit of `all` slots, of which one address may hold `each`: as long as it is a part of what it leaves free,
 * where that is not all of them. The first is any free one.
 */
export const makeConcurrencyLimit = (all: number, each: number): ConcurrencyLimit => {
  let inUse = 0
  const inUseBy = new Map<string, number>()
  return {
    acquire: (address) => {
      const own = inUseBy.get(address) ?? 0
      if (inUse >= all || own >= each) return undefined
      if (own > 0 && each < all && own + 1 > (all - inUse - 1) * shareOfFree) return undefined
      inUse += 1
      inUseBy.set(address, own + 1)
      return () => {
        inUse -= 1
        const left = inUseBy.get(address)! - 1
        if (left === 0) inUseBy.delete(address)
        else inUseBy.set(address, left)
      }
    }
  }
}
