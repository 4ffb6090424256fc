/**
 * Claim check for large messages between nodes: Redis stores the text under a name, and the message carries the name.
 * Redis disconnects a subscriber with too much buffered pub/sub (by default 32 MiB, or 8 MiB for a minute) and drops
 * all its messages. Owns the size threshold, the names, the lifetime of a text, the bound on texts in flight, and the
 * count of lost ones.
 */
import type { RedisTransport } from "../../../src/bus/redis-transport.ts"
import { carriedChars, carriedCharsMax, carriedMillis } from "../../../src/limits/nodes.ts"
import { count } from "../../../src/runtime/metrics.ts"

/** The way of large texts. */
export interface ClaimCheck {
  /** Whether a text is too large for a message. */
  readonly isLarge: (text: string) => boolean
  /** Leaves a text for one reader and tells its name. `lost`: Redis does not take it, or too much is under way. */
  readonly leave: (text: string, left: (name: string) => void, lost: () => void) => void
  /** Takes what was left under a name. `lost`: it is not there any more, or Redis does not say. */
  readonly take: (name: string, taken: (text: string) => void, lost: () => void) => void
}

/** Builds it. `bug` is told what a call back throws. */
export const makeClaimCheck = (
  {
    node,
    prefix,
    call,
    authentication
  }: Pick<RedisTransport["Service"], "node" | "prefix" | "call" | "authentication">,
  bug: (defect: unknown) => void
): ClaimCheck => {
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
