/**
 * The per-minute rate limits for the guard. Owns the policies (`key`, `ip`, `join`). bucket.ts holds the windows of
 * this node in memory; shared-windows.ts holds those of all nodes in Redis.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { RedisTransport } from "../../src/bus/redis-transport.ts"
import { Config } from "../../src/config.ts"
import {
  addressBucketsMax,
  bucketIdleMillis,
  bucketSweepMillis,
  bucketSweepSlice,
  bucketsCrowd,
  bucketsMax,
  joinsPerMinuteMax,
  overflowBuckets,
  rateWindowMillis
} from "../../src/limits.ts"
import { flatMap, type MaybeSync } from "../../src/runtime/maybe-sync.ts"
import { watch } from "../../src/runtime/metrics.ts"
import { monotonicMillis } from "../../src/runtime/monotonic.ts"
import { Supervisor } from "../runtime/supervisor.ts"
import { type Admission, makePopulation, type Population } from "./bucket.ts"
import { makeSharedWindows, type SharedWindows } from "./shared-windows.ts"

/** The decision. Seconds are rounded up, so that a retry on time is never too early. */
export interface Decision {
  readonly admitted: boolean
  readonly policy: "key" | "ip" | "join"
  readonly limit: number
  readonly windowSeconds: number
  readonly remaining: number
  /** Seconds until the oldest admission leaves the window; 0 for an empty window. */
  readonly resetSeconds: number
  /** 0 when admitted, otherwise at least 1 and never before `resetSeconds`. */
  readonly retryAfter: number
}

const spanSeconds = rateWindowMillis / 1000

const decision = (policy: Decision["policy"], limit: number, answer: Admission): Decision => {
  const resetSeconds = Math.ceil(answer.millisToNext / 1000)
  return {
    admitted: answer.admitted,
    policy,
    limit,
    windowSeconds: spanSeconds,
    remaining: Math.max(0, limit - answer.count),
    resetSeconds,
    retryAfter: answer.admitted ? 0 : Math.max(1, resetSeconds)
  }
}

/**
 * When windows that admitted little are forgotten: no more than what may be asked in the time between two sweeps, so
 * that who keeps to the limit's rate gains nothing by it.
 */
export const crowdOf = (limit: number, spanMillis: number) => ({
  crowd: bucketsCrowd,
  smallMax: Math.floor((limit * bucketSweepMillis) / spanMillis)
})

const population = (supervisor: Supervisor["Service"], name: string, limit: number, most = bucketsMax): Population =>
  makePopulation(supervisor, {
    name,
    limit,
    spanMillis: rateWindowMillis,
    bucketsMax: most,
    overflow: overflowBuckets,
    idleMillis: bucketIdleMillis,
    ...crowdOf(limit, rateWindowMillis)
  })

/** The windows of one policy. */
export interface PolicyWindows {
  /** Takes an admission from the window of this name. */
  readonly take: (name: string) => MaybeSync<Admission>
  /** Reads the window of this name. */
  readonly look: (name: string) => MaybeSync<Admission>
}

/** One policy: its name in Redis, its limit, and its buckets on this node. */
export interface Policy {
  readonly name: string
  readonly limit: number
  readonly buckets: Population
  readonly now: () => number
}

/**
 * The windows of a policy. With one node the buckets answer at once. With several the windows in Redis answer, and the
 * buckets while Redis does not.
 */
export const policyWindows = (shared: SharedWindows | undefined, policy: Policy): PolicyWindows => {
  const { name: prefix, limit, buckets, now } = policy
  if (shared === undefined) {
    return { take: (name) => buckets.take(name, now()), look: (name) => buckets.look(name, now()) }
  }
  const ask = (name: string, take: boolean): Effect.Effect<Admission> =>
    Effect.callback((resume) => {
      shared.ask(`${prefix}:${buckets.nameOf(name)}`, limit, take, now(), (answer) => {
        // also counted locally, so that the fallback is correct when Redis fails
        const own = take && answer?.admitted !== false ? buckets.take(name, now()) : buckets.look(name, now())
        resume(Effect.succeed(answer ?? own))
      })
    })
  return { take: (name) => ask(name, true), look: (name) => ask(name, false) }
}

/** The shared windows of one span. Undefined: the hub has one node only. */
export const sharedWindows = Effect.fnUntraced(function* (spanMillis: number) {
  const transport = Option.getOrUndefined(yield* Effect.serviceOption(RedisTransport))
  if (transport === undefined) return undefined
  const shared = makeSharedWindows(transport, spanMillis)
  yield* transport.gaps((stands) => stands || shared.fell())
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
  const addresses = population(supervisor, "ip", settings.rateIpPerMinute, addressBucketsMax)
  const joinKeys = population(supervisor, "join", joinsPerMinuteMax)
  yield* Effect.acquireRelease(
    Effect.sync(() => watch("hub_buckets", () => supervisor.size("bucket"))),
    (forget) => Effect.sync(forget)
  )
  for (const buckets of [keys, addresses, joinKeys]) yield* Effect.forkScoped(sweepFor(buckets, now))
  const shared = yield* sharedWindows(rateWindowMillis)
  const byKey = policyWindows(shared, { name: "key", limit: settings.rateKeyPerMinute, buckets: keys, now })
  const byAddress = policyWindows(shared, { name: "ip", limit: settings.rateIpPerMinute, buckets: addresses, now })
  const byJoinKey = policyWindows(shared, { name: "join", limit: joinsPerMinuteMax, buckets: joinKeys, now })
  const ofKey = (answer: Admission): Decision => decision("key", settings.rateKeyPerMinute, answer)
  const ofAddress = (answer: Admission): Decision => decision("ip", settings.rateIpPerMinute, answer)
  return RateLimits.of({
    key: (keyId) => flatMap(byKey.take(keyId), ofKey),
    address: (address) => flatMap(byAddress.take(address), ofAddress),
    join: (keyHash) => flatMap(byJoinKey.take(keyHash), (answer) => decision("join", joinsPerMinuteMax, answer)),
    seenKey: (keyId) => flatMap(byKey.look(keyId), ofKey),
    seenAddress: (address) => flatMap(byAddress.look(address), ofAddress)
  })
})

/** The rate limits: at once with one node, an effect with several. */
export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** Takes an admission for a key. */
    readonly key: (keyId: string) => MaybeSync<Decision>
    /** Takes an admission for an address (IPv4, or the /64 prefix of IPv6). */
    readonly address: (address: string) => MaybeSync<Decision>
    /** Takes an admission for a join key, by its hash. */
    readonly join: (keyHash: string) => MaybeSync<Decision>
    /** Reads the window of a key. */
    readonly seenKey: (keyId: string) => MaybeSync<Decision>
    /** Reads the window of an address. */
    readonly seenAddress: (address: string) => MaybeSync<Decision>
  }
>()("hub/RateLimits") {
  static readonly layer = Layer.effect(RateLimits, make)
}
