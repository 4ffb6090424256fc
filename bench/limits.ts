/**
 * What does a local limit check cost, and what do full buckets weigh? Real bucket actors of one policy, as the guard asks
 * them. Owns the loop and its figures.
 */
import { ManagedRuntime } from "effect"
import { makePopulation } from "../actors/bucket.ts"
import { Supervisor } from "../actors/supervisor.ts"
import { bucketIdleMillis, bucketsMax, overflowBuckets, rateWindowMillis } from "../src/limits.ts"
import { atMost, type Figure, shown } from "./figures.ts"

const checkNanosMax = 3_000
const fullMegabytesMax = 600
const perKey = 120

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
    atMost("a limit check, 100 buckets in turn", Math.round(hot), "ns", checkNanosMax),
    atMost(`a limit check while ${buckets} buckets fill`, Math.round(spread), "ns", checkNanosMax),
    atMost(`process with ${buckets} full buckets`, Math.round(weight), "MB", fullMegabytesMax),
    shown("buckets alive", alive, "buckets")
  ]
}
