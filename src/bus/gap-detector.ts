/** Detects lost and repeated messages on one channel. Owns the next expected number per sender. Pure. */
import { LRUCache } from "lru-cache"
import { busPeersMax } from "../limits/nodes.ts"
import { type ChannelMessage, nodeProtocolVersion } from "./channel-publisher.ts"

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

/** Why a message cannot be read. */
export type MessageFault = "not readable" | "of a later version"

/** Reads a channel message; why not, when it has another form or a version that this node does not know. */
export const readChannelMessage = (text: string): ChannelMessage | MessageFault => {
  try {
    const message = JSON.parse(text) as ChannelMessage
    if ((message.v ?? 1) > nodeProtocolVersion) return "of a later version"
    const whole = typeof message.from === "string" && Number.isSafeInteger(message.at) && Array.isArray(message.parts)
    return whole && message.parts.every(isPart) ? message : "not readable"
  } catch {
    return "not readable"
  }
}
