/**
 * Detects lost and repeated messages on one channel. Owns the next expected number per sender. Pure.
 */
import { LRUCache } from "lru-cache"
import { busPeersMax } from "../limits/nodes.ts"
import type { ChannelMessage } from "./channel-publisher.ts"

/** `lost`: a message before this one was lost. `repeated`: this message or a later one was received before. */
export type SequenceCheck = "next" | "lost" | "repeated"

/** Checks the messages of one channel. */
export interface GapDetector {
  /** Checks a message and, unless it is repeated, moves the expected number of its sender behind it. */
  readonly check: (message: ChannelMessage) => SequenceCheck
}

/** Makes a detector that has received nothing. */
export const makeGapDetector = (): GapDetector => {
  const next = new LRUCache<string, number>({ max: busPeersMax })
  return {
    check: ({ from, at, parts }) => {
      const expected = next.get(from)
      if (expected !== undefined && at < expected) return "repeated"
      next.set(from, at + parts.length)
      return expected === undefined || expected === at ? "next" : "lost"
    }
  }
}

const isPart = (part: unknown): boolean => Array.isArray(part) && typeof part[0] === "string"

/** Reads a channel message; undefined when it has another form. */
export const readChannelMessage = (text: string): ChannelMessage | undefined => {
  try {
    const message = JSON.parse(text) as ChannelMessage
    const whole = typeof message.from === "string" && Number.isSafeInteger(message.at) && Array.isArray(message.parts)
    return whole && message.parts.every(isPart) ? message : undefined
  } catch {
    return undefined
  }
}
