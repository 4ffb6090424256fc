/**
 * What does a limit check cost, by this node alone and over all nodes, and what does a full bucket weigh? Real bucket
 * actors of one policy and the real shared windows, asked as the guard asks them. Owns the loops and their figures.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Layer, ManagedRuntime } from "effect"
import { makePopulation } from "../../actors/limits/bucket.ts"
import { makeSharedWindows } from "../../actors/limits/shared-windows.ts"
import { Supervisor } from "../../actors/runtime/supervisor.ts"
import { RedisTransport } from "../../src/bus/redis-transport.ts"
import { defaultSettings } from "../../src/config.ts"
import { bucketIdleMillis, bucketsMax, overflowBuckets, rateWindowMillis } from "../../src/limits.ts"
import { layerLog } from "../../src/runtime/log.ts"
import { NodeId } from "../../src/runtime/node-id.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { middleAtMost } from "../report/compare.ts"
import { atMost, type Figure, shown } from "../report/figures.ts"

const perKey = 120
const parallel = 64
const goals = { checkMicros: 3, redisMicros: 25, bucketBytes: 6_000 }

/**
 * How much is asked: `buckets` filled to the brim, then `checks` of hot ones; `rounds` of 64 asks at once over Redis.
 */
export interface LimitsSize extends Record<string, number> {
  readonly buckets: number
  readonly checks: number
  readonly rounds: number
  readonly runs: number
}

/** Measures at a chosen size; the shared windows only where there is a Redis for them. */
export const measure = async (size: LimitsSize, redisUrl?: string): Promise<ReadonlyArray<Figure>> => [
  ...(await localChecks(size)),
  ...(redisUrl === undefined ? [] : [await sharedChecks(size, redisUrl)])
]

const localChecks = async ({ buckets, checks, runs }: LimitsSize): Promise<ReadonlyArray<Figure>> => {
  const runtime = ManagedRuntime.make(Layer.provide(Supervisor.layer, Timers.layer))
  const supervisor = await runtime.runPromise(Supervisor)
  const population = makePopulation(supervisor, {
    name: "bench",
    limit: perKey,
    spanMillis: rateWindowMillis,
    bucketsMax,
    overflow: overflowBuckets,
    idleMillis: bucketIdleMillis,
    crowd: Number.POSITIVE_INFINITY,
    smallMax: 0
  })
  const names = Array.from({ length: buckets }, (_, at) => `key_${at.toString(36).padStart(20, "0")}`)
  const micros = (count: number, check: () => void): number => {
    const began = process.hrtime.bigint()
    check()
    return Number(process.hrtime.bigint() - began) / 1_000 / count
  }
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  const collected = (): number => {
    collect()
    return process.memoryUsage.rss()
  }
  const empty = collected()
  const filling = micros(buckets * perKey, () => {
    for (let call = 0; call < perKey; call++) for (const name of names) population.take(name, call)
  })
  const weight = Math.max(1, (collected() - empty) / buckets)
  const hot = Array.from({ length: runs }, (_, run) =>
    micros(checks, () => {
      for (let call = 0; call < checks; call++)
        population.take(names[call % Math.min(100, buckets)]!, rateWindowMillis * (run + 1) + Math.floor(call / 100))
    })
  )
  const alive = population.size()
  await runtime.dispose()
  return [
    middleAtMost("limit_check_us", hot, "µs", goals.checkMicros),
    atMost("bucket_rss_bytes", weight, "B", goals.bucketBytes),
    shown("limit_check_filling_us", filling, "µs"),
    shown("buckets_alive", alive, "buckets")
  ]
}

/** A check over all nodes, 64 asked at once by one of them. */
const sharedChecks = async ({ rounds, runs }: LimitsSize, redisUrl: string): Promise<Figure> => {
  // standard output is for the figures
  const silent = layerLog({ ...defaultSettings, logLevel: "none" }, true)
  const runtime = ManagedRuntime.make(
    Layer.provide(Layer.provide(RedisTransport.layer(redisUrl, new Uint8Array(32)), NodeId.layer()), silent)
  )
  const windows = makeSharedWindows(await runtime.runPromise(RedisTransport), rateWindowMillis)
  const ask = (name: string): Promise<void> =>
    new Promise((resolve, reject) =>
      windows.ask(name, 1_000_000, true, 0, (turn) =>
        turn === undefined ? reject(new Error("Redis gave no answer")) : resolve()
      )
    )
  const turn = () => Promise.all(Array.from({ length: parallel }, (_, at) => ask(`key_${at}`)))
  for (let warm = 0; warm < rounds / 10; warm++) await turn()
  const taken: Array<number> = []
  for (let run = 0; run < runs; run++) {
    const began = process.hrtime.bigint()
    for (let at = 0; at < rounds; at++) await turn()
    taken.push(Number(process.hrtime.bigint() - began) / 1_000 / (rounds * parallel))
  }
  await runtime.dispose()
  return middleAtMost("limit_check_redis_us", taken, "µs", goals.redisMicros)
}
