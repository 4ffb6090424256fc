/**
 * Large texts from node to node: left in Redis under a name for a moment, so that a message only names them. Redis cuts off
 * whoever has too much pub/sub waiting (by its standard 32 MiB, or 8 MiB for a minute), and with it all other messages. Owns
 * what is large, the names, how long a text lies there, and the bound of what is under way.
 */
import type { Wire } from "../../src/bus/wire.ts"
import { carriedChars, carriedCharsMax, carriedMillis } from "../../src/limits/nodes.ts"

/** The way of large texts. */
export interface Carrying {
  /** Whether a text is too large for a message. */
  readonly isLarge: (text: string) => boolean
  /** Leaves a text for one reader; gives its name. Rejects when Redis does not take it, or too much is under way. */
  readonly leave: (text: string) => Promise<string>
  /** Takes what was left under a name. Rejects when it is not there any more, or Redis does not say. */
  readonly take: (name: string) => Promise<string>
}

/** Builds it. */
export const makeCarrying = ({ node, prefix, call }: Pick<Wire["Service"], "node" | "prefix" | "call">): Carrying => {
  let left = 0
  let underWay = 0
  return {
    isLarge: (text) => text.length > carriedChars,
    leave: async (text) => {
      if (underWay + text.length > carriedCharsMax) throw new Error("too much is on its way to other nodes")
      const name = `${prefix}carried:${node}:${left++}`
      underWay += text.length
      try {
        await call("SET", [name, text, "PX", carriedMillis])
      } finally {
        underWay -= text.length
      }
      return name
    },
    take: async (name) => {
      const text = await call("GET", [name])
      if (typeof text !== "string") throw new Error("what another node left is gone")
      // it would go by itself
      call("DEL", [name]).catch(() => undefined)
      return text
    }
  }
}
