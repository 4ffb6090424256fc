/**
 * The per-minute rate limits for the guard. Owns the policies (`key`, `ip`, `session`, `join`). bucket.ts holds the
 * windows of this node in memory; shared-windows.ts holds those of all nodes in Redis.
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
  rateWindowMillis,
  sessionRateTimes
} from "../../src/limits.ts"
import { flatMap, type MaybeSync } from "../../src/runtime/maybe-sync.ts"
import { watchInScope } from "../../src/runtime/metrics.ts"
import { monotonicMillis } from "../../src/runtime/monotonic.ts"
import { Supervisor } from "../runtime/supervisor.ts"
import { type Admission, type Bounds, makePopulation, type Population } from "./bucket.ts"
import { makeSharedWindows, type SharedWindows } from "./shared-windows.ts"

/** The decision. Seconds are rounded up, so that a retry on time is never too early. */
export interface Decision {
  readonly admitted: boolean
  readonly policy: "key" | "ip" | "session" | "join"
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

/** The windows of one policy. */
interface PolicyWindows {
  /** Takes an admission from the window of this name. */
  readonly take: (name: string) => MaybeSync<Admission>
  /** Reads the window of this name. */
  readonly look: (name: string) => MaybeSync<Admission>
}

/** One policy: its name, by which Redis knows it too, its limit in a span, and how many buckets a node has of it. */
type Policy = Pick<Bounds, "name" | "limit" | "spanMillis" | "bucketsMax" | "idleMillis">

const windowsOf = (
  shared: SharedWindows | undefined,
  { name: prefix, limit }: Policy,
  buckets: Population,
  now: () => number
): PolicyWindows => {
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
const sweepFor = Effect.fnUntraced(function* (buckets: Population, now: () => number) {
  while (true) {
    yield* Effect.sleep(bucketSweepMillis)
    const steps = buckets.sweep(now(), bucketSweepSlice)
    while (steps.next().done !== true) yield* Effect.yieldNow
  }
})

/**
 * The windows of a policy, until the scope closes. With one node its buckets answer at once. With several the windows
 * in Redis answer, and the buckets while Redis does not. In a crowd the windows are forgotten that admitted no more
 * than what may be asked in the time between two sweeps, so that who keeps to the limit's rate gains nothing by it.
 */
export const makePolicyWindows = Effect.fnUntraced(function* (shared: SharedWindows | undefined, policy: Policy) {
  const supervisor = yield* Supervisor
  const clock = yield* Clock.Clock
  const now = () => monotonicMillis(clock)
  const smallMax = Math.floor((policy.limit * bucketSweepMillis) / policy.spanMillis)
  const buckets = makePopulation(supervisor, { ...policy, overflow: overflowBuckets, crowd: bucketsCrowd, smallMax })
  yield* Effect.forkScoped(sweepFor(buckets, now))
  return windowsOf(shared, policy, buckets, now)
})

const perMinute = { spanMillis: rateWindowMillis, bucketsMax, idleMillis: bucketIdleMillis }

const make = Effect.gen(function* () {
  const { rateKeyPerMinute, rateIpPerMinute } = yield* Config
  const supervisor = yield* Supervisor
  yield* watchInScope("hub_buckets", () => supervisor.size("bucket"))
  const shared = yield* sharedWindows(rateWindowMillis)
  const byKey = yield* makePolicyWindows(shared, { ...perMinute, name: "key", limit: rateKeyPerMinute })
  const ofAddresses = { ...perMinute, name: "ip", limit: rateIpPerMinute, bucketsMax: addressBucketsMax }
  const byAddress = yield* makePolicyWindows(shared, ofAddresses)
  const sessionLimit = rateIpPerMinute * sessionRateTimes
  const bySession = yield* makePolicyWindows(shared, { ...perMinute, name: "session", limit: sessionLimit })
  const byJoinKey = yield* makePolicyWindows(shared, { ...perMinute, name: "join", limit: joinsPerMinuteMax })
  const ofKey = (answer: Admission): Decision => decision("key", rateKeyPerMinute, answer)
  const ofAddress = (answer: Admission): Decision => decision("ip", rateIpPerMinute, answer)
  return RateLimits.of({
    key: (keyId) => flatMap(byKey.take(keyId), ofKey),
    address: (address) => flatMap(byAddress.take(address), ofAddress),
    session: (person) => flatMap(bySession.take(person), (answer) => decision("session", sessionLimit, answer)),
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
    /** Takes an admission for the sessions of a person in an account, from whatever addresses. */
    readonly session: (person: string) => MaybeSync<Decision>
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
