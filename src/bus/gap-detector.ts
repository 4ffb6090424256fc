/**
 * What a channel brings, by who said it. Owns the memory of the last number of each, so that a hole is noticed, and a
 * message that comes a second time is not heard again. Pure.
 */
import { LRUCache } from "lru-cache"
import { busPeersMax } from "../limits/nodes.ts"
import type { Said } from "./channel-publisher.ts"

/** `lost`: something before it was lost. `repeated`: it, or something after it, was heard before. */
export type Hearing = "next" | "lost" | "repeated"

/** An ear on one channel. */
export interface Ear {
  /** Takes what was said, unless it is repeated. */
  readonly hear: (said: Said) => Hearing
}

/** An ear that has heard nobody. */
export const makeEar = (): Ear => {
  const next = new LRUCache<string, number>({ max: busPeersMax })
  return {
    hear: ({ from, at, parts }) => {
      const expected = next.get(from)
      if (expected !== undefined && at < expected) return "repeated"
      next.set(from, at + parts.length)
      return expected === undefined || expected === at ? "next" : "lost"
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
