/**
 * The per-minute rate limits for the guard. Owns the two policies (`key`, `ip`). bucket.ts holds the windows of this
 * node in memory; shared-windows.ts holds those of all nodes in Redis.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { RedisTransport } from "../../src/bus/redis-transport.ts"
import { Config } from "../../src/config.ts"
import {
  bucketIdleMillis,
  bucketSweepMillis,
  bucketSweepSlice,
  bucketsMax,
  overflowBuckets,
  rateWindowMillis
} from "../../src/limits.ts"
import { watch } from "../../src/runtime/metrics.ts"
import { monotonicMillis } from "../../src/runtime/monotonic.ts"
import { Supervisor } from "../runtime/supervisor.ts"
import { type Admission, makePopulation, type Population } from "./bucket.ts"
import { makeSharedWindows, type SharedWindows } from "./shared-windows.ts"

/** The decision. Seconds are rounded up, so that a retry on time is never too early. */
export interface Decision {
  readonly admitted: boolean
  readonly policy: "key" | "ip"
  readonly limit: number
  readonly windowSeconds: number
  readonly remaining: number
  /** Seconds until the oldest admission leaves the window; 0 for an empty window. */
  readonly resetSeconds: number
  /** 0 when admitted, otherwise at least 1 and never before `resetSeconds`. */
  readonly retryAfter: number
}

const spanSeconds = rateWindowMillis / 1000

const decision = (policy: Decision["policy"], limit: number, turn: Admission): Decision => {
  const resetSeconds = Math.ceil(turn.millisToNext / 1000)
  return {
    admitted: turn.admitted,
    policy,
    limit,
    windowSeconds: spanSeconds,
    remaining: Math.max(0, limit - turn.count),
    resetSeconds,
    retryAfter: turn.admitted ? 0 : Math.max(1, resetSeconds)
  }
}

const population = (supervisor: Supervisor["Service"], name: string, limit: number): Population =>
  makePopulation(supervisor, {
    name,
    limit,
    spanMillis: rateWindowMillis,
    bucketsMax,
    overflow: overflowBuckets,
    idleMillis: bucketIdleMillis
  })

/** Takes an admission from a window, or reads it. */
export interface SharedTurns {
  readonly take: (name: string) => Effect.Effect<Admission>
  readonly look: (name: string) => Effect.Effect<Admission>
}

/** The windows of all nodes, with this node's own buckets as the fallback while Redis does not answer. */
export const turnsOverNodes = (
  shared: SharedWindows,
  policy: string,
  limit: number,
  buckets: Population,
  now: () => number
): SharedTurns => {
  const ask = (name: string, take: boolean): Effect.Effect<Admission> =>
    Effect.callback((resume) => {
      shared.ask(`${policy}:${buckets.nameOf(name)}`, limit, take, now(), (turn) => {
        // also counted locally, so that the fallback is correct when Redis fails
        const own = take && turn?.admitted !== false ? buckets.take(name, now()) : buckets.look(name, now())
        resume(Effect.succeed(turn ?? own))
      })
    })
  return { take: (name) => ask(name, true), look: (name) => ask(name, false) }
}

/** The shared windows of one span. Undefined: the hub has one node only. */
export const sharedWindows = Effect.fnUntraced(function* (spanMillis: number) {
  const wire = Option.getOrUndefined(yield* Effect.serviceOption(RedisTransport))
  if (wire === undefined) return undefined
  const shared = makeSharedWindows(wire, spanMillis)
  yield* wire.gaps((stands) => stands || shared.fell())
  return shared
})

/** Passivates idle buckets periodically, in slices. Never ends. */
export const sweepFor = Effect.fnUntraced(function* (buckets: Population, now: () => number) {
  while (true) {
    yield* Effect.sleep(bucketSweepMillis)
    const steps = buckets.sweep(now(), bucketSweepSlice)
    while (steps.next().done !== true) yield* Effect.yieldNow
  }
})

const make = Effect.gen(function* () {
  const settings = yield* Config
  const supervisor = yield* Supervisor
  const clock = yield* Clock.Clock
  const now = () => monotonicMillis(clock)
  const keys = population(supervisor, "key", settings.rateKeyPerMinute)
  const addresses = population(supervisor, "ip", settings.rateIpPerMinute)
  yield* Effect.acquireRelease(
    Effect.sync(() => watch("hub_buckets", () => supervisor.size("bucket"))),
    (forget) => Effect.sync(forget)
  )
  yield* Effect.forkScoped(sweepFor(keys, now))
  yield* Effect.forkScoped(sweepFor(addresses, now))
  const over = yield* sharedWindows(rateWindowMillis)
  const sharedLimits = (over: SharedWindows): SharedLimits => {
    const policies = { key: [settings.rateKeyPerMinute, keys], ip: [settings.rateIpPerMinute, addresses] } as const
    const ask = (policy: Decision["policy"], what: "take" | "look") => {
      const [limit, buckets] = policies[policy]
      const turns = turnsOverNodes(over, policy, limit, buckets, now)
      return (name: string) => Effect.map(turns[what](name), (turn) => decision(policy, limit, turn))
    }
    return {
      key: ask("key", "take"),
      address: ask("ip", "take"),
      seenKey: ask("key", "look"),
      seenAddress: ask("ip", "look")
    }
  }
  return RateLimits.of({
    over: over && sharedLimits(over),
    key: (keyId) => decision("key", settings.rateKeyPerMinute, keys.take(keyId, now())),
    address: (address) => decision("ip", settings.rateIpPerMinute, addresses.take(address, now())),
    seenKey: (keyId) => decision("key", settings.rateKeyPerMinute, keys.look(keyId, now())),
    seenAddress: (address) => decision("ip", settings.rateIpPerMinute, addresses.look(address, now()))
  })
})

/** The rate limits over all nodes. */
export interface SharedLimits {
  readonly key: (keyId: string) => Effect.Effect<Decision>
  readonly address: (address: string) => Effect.Effect<Decision>
  readonly seenKey: (keyId: string) => Effect.Effect<Decision>
  readonly seenAddress: (address: string) => Effect.Effect<Decision>
}

/** The rate limits. */
export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** Takes an admission for a key. */
    readonly key: (keyId: string) => Decision
    /** Takes an admission for an address (IPv4, or the /64 prefix of IPv6). */
    readonly address: (address: string) => Decision
    /** Reads the window of a key. */
    readonly seenKey: (keyId: string) => Decision
    /** Reads the window of an address. */
    readonly seenAddress: (address: string) => Decision
    /** The limits over all nodes. Undefined: the hub has one node only. */
    readonly over?: SharedLimits | undefined
  }
>()("hub/RateLimits") {
  static readonly layer = Layer.effect(RateLimits, make)
}
