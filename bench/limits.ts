/**
 * What does a local limit check cost, and what do full buckets weigh? Real bucket actors of one policy, as the guard asks
 * them. Owns the loop and its figures.
 */
import { ManagedRuntime } from "effect"
import { makePopulation } from "../actors/bucket.ts"
import { makeSharedWindows } from "../actors/remote/windows.ts"
import { Supervisor } from "../actors/supervisor.ts"
import { Wire } from "../src/bus/wire.ts"
import { bucketIdleMillis, bucketsMax, overflowBuckets, rateWindowMillis } from "../src/limits.ts"
import { hasRedis, startRedis } from "../test/support/redis.ts"
import { atMost, type Figure, shown } from "./figures.ts"

const checkNanosMax = 3_000
const fullMegabytesMax = 600
const perKey = 120
const redisCheckMicrosMax = 25

const parallel = 64

/** What a check over all nodes costs, `parallel` asked at once by one node. */
const redisCheck = async (rounds: number): Promise<ReadonlyArray<Figure>> => {
  if (!hasRedis) return []
  const redis = await startRedis()
  const runtime = ManagedRuntime.make(Wire.layer(redis.url))
  const wire = await runtime.runPromise(Wire)
  const windows = makeSharedWindows(wire, rateWindowMillis)
  const ask = (name: string): Promise<void> =>
    new Promise((resolve, reject) =>
      windows.ask(name, 1_000_000, true, 0, (turn) => (turn === undefined ? reject(new Error("no answer")) : resolve()))
    )
  const round = () => Promise.all(Array.from({ length: parallel }, (_, at) => ask(`key_${at}`)))
  for (let warm = 0; warm < rounds / 10; warm++) await round()
  const began = process.hrtime.bigint()
  for (let at = 0; at < rounds; at++) await round()
  const micros = Number(process.hrtime.bigint() - began) / 1_000 / (rounds * parallel)
  await runtime.dispose()
  await redis.close()
  return [atMost("limit_check_redis_us", Math.round(micros * 10) / 10, "µs", redisCheckMicrosMax)]
}

/** Fills this many buckets, then checks hot ones. */
export const limits = async (buckets = 100_000, hotChecks = 3_000_000): Promise<ReadonlyArray<Figure>> => {
  const runtime = ManagedRuntime.make(Supervisor.layer)
  const supervisor = await runtime.runPromise(Supervisor)
  const population = makePopulation(supervisor, {
    name: "bench",
    limit: perKey,
    spanMillis: rateWindowMillis,
    bucketsMax,
    overflow: overflowBuckets,
    idleMillis: bucketIdleMillis
  })
  const names = Array.from({ length: buckets }, (_, at) => `key_${at.toString(36).padStart(20, "0")}`)
  const timed = (checks: number, check: () => void): number => {
    const began = process.hrtime.bigint()
    check()
    return Number(process.hrtime.bigint() - began) / checks
  }
  const spread = timed(buckets * perKey, () => {
    for (let call = 0; call < perKey; call++) for (const name of names) population.take(name, call)
  })
  const weight = process.memoryUsage.rss() / 1_000_000
  const hot = timed(hotChecks, () => {
    for (let call = 0; call < hotChecks; call++)
      population.take(names[call % Math.min(100, buckets)]!, rateWindowMillis + Math.floor(call / 100))
  })
  const alive = population.size()
  await runtime.dispose()
  return [
    ...(await redisCheck(Math.max(10, Math.floor(hotChecks / 2_000)))),
    atMost("a limit check, 100 buckets in turn", Math.round(hot), "ns", checkNanosMax),
    atMost(`a limit check while ${buckets} buckets fill`, Math.round(spread), "ns", checkNanosMax),
    atMost(`process with ${buckets} full buckets`, Math.round(weight), "MB", fullMegabytesMax),
    shown("buckets alive", alive, "buckets")
  ]
}
