/**
 * Lines between nodes of one process, under virtual time: each can be cut from the rest and mended, and lose a message.
 * Owns what a line does then, as src/bus/redis-transport.ts promises it; Redis behind them is a model.
 */
import { Clock, Effect } from "effect"
import { messageAuthentication } from "../../src/bus/message-authentication.ts"
import { type ReceivedMessage, RedisTransport } from "../../src/bus/redis-transport.ts"
import { busAwayCacheMillis, busBeatMillis, busSilenceMillisMax } from "../../src/limits/nodes.ts"
import { RedisModel } from "./redis-model.ts"

/** One node's line. */
export interface VirtualWire {
  readonly wire: RedisTransport["Service"]
  /** Nothing passes from now on; the node finds out a little later. `late`: what is asked until then still happens. */
  readonly cut: (late: boolean) => void
  readonly mend: () => void
  /** The next message to this node is lost; it notices the hole by the next beat. */
  readonly lose: () => void
  /** The node hears nothing of what reaches it, like a process that is stopped; or it does again. */
  readonly hang: (hangs: boolean) => void
  /** Lets the line notice what time has brought. */
  readonly tick: () => void
}

/** Many. */
export interface VirtualWires {
  readonly redis: RedisModel
  /** `cut`: away from the start. */
  readonly make: (node: string, cut?: boolean) => VirtualWire
}

/** Lines over a Redis that is empty. */
export const makeVirtualWires: Effect.Effect<VirtualWires> = Effect.map(Clock.Clock, (clock) => {
  const now = (): number => clock.currentTimeMillisUnsafe()
  const redis = new RedisModel(now)
  const everyone = new Map<
    string,
    { readonly reached: () => boolean; readonly hear: (kind: string, heard: ReceivedMessage) => void }
  >()
  return { redis, make: (node, cut = false) => makeWire(node, cut, now, redis, everyone) }
})

const makeWire = (
  node: string,
  cut: boolean,
  now: () => number,
  redis: RedisModel,
  everyone: Map<
    string,
    { readonly reached: () => boolean; readonly hear: (kind: string, heard: ReceivedMessage) => void }
  >
): VirtualWire => {
  const listeners = new Map<string, Set<(heard: ReceivedMessage) => void>>()
  const gaps = new Set<(stands: boolean) => void>()
  let cutAt = cut ? now() : undefined
  let late = false
  let mendedAt: number | undefined
  let away = cut
  let saidAt = 0
  let losing = false
  let hanging = false
  let holeAt: number | undefined
  const gap = (): void => {
    for (const listener of gaps) listener(!away)
  }
  const hear = (kind: string, heard: ReceivedMessage): void => {
    if (hanging) return
    if (losing) {
      losing = false
      holeAt = now()
      return
    }
    for (const listener of listeners.get(kind) ?? []) listener(heard)
  }
  everyone.set(node, { reached: () => cutAt === undefined, hear })
  const tell = (to: string, kind: string, json: string): boolean => {
    const target = everyone.get(to)
    if (target === undefined || !target.reached()) return false
    queueMicrotask(() => target.hear(kind, { from: node, message: JSON.parse(json) }))
    return true
  }
  const tick = (): void => {
    if (cutAt !== undefined && !away && now() - cutAt >= busSilenceMillisMax) {
      away = true
      saidAt = now()
      gap()
    }
    if (mendedAt !== undefined && now() - mendedAt >= busBeatMillis) {
      mendedAt = undefined
      away = false
      gap()
    }
    if (away && now() - saidAt >= busAwayCacheMillis) {
      saidAt = now()
      gap()
    }
    if (holeAt !== undefined && now() - holeAt >= busBeatMillis) {
      holeAt = undefined
      if (!away) gap()
    }
  }
  const add = <A>(all: Set<A>, one: A) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => all.add(one)),
        () => Effect.sync(() => all.delete(one))
      )
    )
  const wire = RedisTransport.of({
    node,
    prefix: "hub:0:",
    authentication: messageAuthentication(new Uint8Array(32), now),
    tellAll: (kind, json) => {
      if (cutAt === undefined) for (const to of everyone.keys()) tell(to, kind, json)
    },
    tellNode: (to, kind, json, lost) => {
      if (cutAt !== undefined) queueMicrotask(() => lost(false))
      else if (!tell(to, kind, json)) queueMicrotask(() => lost(true))
    },
    hear: (kind, listener) => {
      const all = listeners.get(kind) ?? new Set()
      listeners.set(kind, all)
      return add(all, listener)
    },
    gaps: (listener) => add(gaps, listener),
    away: () => away,
    callLarge: (command, args) => wire.call(command, args),
    call: async (command, args) => {
      if (away) throw new Error("the bus is away")
      const lost = cutAt !== undefined
      if (lost && !late) throw new Error("cut")
      const answer = redis.call(command, args)
      if (lost) throw new Error("the answer was lost")
      return answer
    }
  })
  return {
    wire,
    cut: (happens) => {
      if (cutAt !== undefined) return
      cutAt = now()
      late = happens
      mendedAt = undefined
    },
    mend: () => {
      if (cutAt === undefined) return
      cutAt = undefined
      if (away) mendedAt = now()
      // a break too short for the beats is noticed by the numbers
      else holeAt = now()
    },
    lose: () => {
      losing = true
    },
    hang: (hangs) => {
      hanging = hangs
    },
    tick
  }
}
