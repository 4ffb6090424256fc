/** What a channel brings, by who said it. Owns the memory of the last number of each, so that a hole is noticed. Pure. */
import { LRUCache } from "lru-cache"
import { busPeersMax } from "../limits/nodes.ts"
import type { Said } from "./voice.ts"

/** An ear on one channel. */
export interface Ear {
  /** Takes what was said. True: something before it was lost. */
  readonly missed: (said: Said) => boolean
}

/** An ear that has heard nobody. */
export const makeEar = (): Ear => {
  const next = new LRUCache<string, number>({ max: busPeersMax })
  return {
    missed: ({ from, at, parts }) => {
      const expected = next.get(from)
      next.set(from, at + parts.length)
      return expected !== undefined && expected !== at
    }
  }
}

const isPart = (part: unknown): boolean => Array.isArray(part) && typeof part[0] === "string"

/** Reads a message; undefined when it is none of ours. */
export const readSaid = (text: string): Said | undefined => {
  try {
    const said = JSON.parse(text) as Said
    const whole = typeof said.from === "string" && Number.isSafeInteger(said.at) && Array.isArray(said.parts)
    return whole && said.parts.every(isPart) ? said : undefined
  } catch {
    return undefined
  }
}
