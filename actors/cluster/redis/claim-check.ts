/**
 * Large texts from node to node: left in Redis under a name for a moment, so that a message only names them. Redis cuts
 * off whoever has too much pub/sub waiting (by its standard 32 MiB, or 8 MiB for a minute), and with it all other
 * messages. Owns what is large, the names, how long a text lies there, the bound of what is under way, and the count of
 * what was lost.
 */
import type { RedisTransport } from "../../../src/bus/redis-transport.ts"
import { carriedChars, carriedCharsMax, carriedMillis } from "../../../src/limits/nodes.ts"
import { count } from "../../../src/runtime/metrics.ts"

/** The way of large texts. */
export interface Carrying {
  /** Whether a text is too large for a message. */
  readonly isLarge: (text: string) => boolean
  /** Leaves a text for one reader and tells its name. `lost`: Redis does not take it, or too much is under way. */
  readonly leave: (text: string, left: (name: string) => void, lost: () => void) => void
  /** Takes what was left under a name. `lost`: it is not there any more, or Redis does not say. */
  readonly take: (name: string, taken: (text: string) => void, lost: () => void) => void
}

/** Builds it. `bug` is told what a call back throws. */
export const makeCarrying = (
  {
    node,
    prefix,
    call,
    authentication
  }: Pick<RedisTransport["Service"], "node" | "prefix" | "call" | "authentication">,
  bug: (defect: unknown) => void
): Carrying => {
  let names = 0
  let underWay = 0

  const put = async (text: string): Promise<string> => {
    if (underWay + text.length > carriedCharsMax) throw new Error("too much is on its way to other nodes")
    const name = `${prefix}carried:${node}:${names++}`
    underWay += text.length
    try {
      await call("SET", [name, authentication.sign(name, text), "PX", carriedMillis])
    } finally {
      underWay -= text.length
    }
    return name
  }

  const fetch = async (name: string): Promise<string> => {
    const text = await call("GET", [name])
    const own = typeof text === "string" ? authentication.verify(name, text) : undefined
    if (own === undefined) throw new Error("what another node left is gone, or not its own")
    // it would go by itself
    call("DEL", [name]).catch(() => undefined)
    return own
  }

  const tell = (work: Promise<string>, done: (text: string) => void, lost: () => void): void => {
    const failed = (): void => {
      count("hub_bus_dropped_total")
      lost()
    }
    work.then(done, failed).catch(bug)
  }

  return {
    isLarge: (text) => text.length > carriedChars,
    leave: (text, left, lost) => tell(put(text), left, lost),
    take: (name, taken, lost) => tell(fetch(name), taken, lost)
  }
}
