/**
 * How many windows a node holds, whoever asks: of addresses, of attempts, and of those that are known to be full over
 * all nodes.
 */
import { Effect, Layer, ManagedRuntime } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { LoginLimits } from "../../../actors/limits/login-limits.ts"
import { type Decision, RateLimits } from "../../../actors/limits/rate-limits.ts"
import { makeSharedWindows } from "../../../actors/limits/shared-windows.ts"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import { windowAsksWaitingMax, windowsFullMax } from "../../../src/limits/nodes.ts"
import {
  addressBucketsMax,
  attemptEntriesMax,
  joinsPerMinuteMax,
  overflowBuckets,
  sessionRateTimes
} from "../../../src/limits.ts"
import { Timers } from "../../../src/runtime/timers.ts"

const layer = Layer.merge(RateLimits.layer, LoginLimits.layer).pipe(
  Layer.provideMerge(Layer.provide(Supervisor.layer, Timers.layer)),
  Layer.provide(Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32) }))
)
/** Enough to find every overflow window, by names whose hashes are others in each run: 1,024 / e^32 times it is not. */
const more = overflowBuckets * 32

describe("a flood of addresses", () => {
  const start = async () => {
    const runtime = ManagedRuntime.make(layer)
    onTestFinished(() => runtime.dispose())
    const parts = await runtime.runPromise(Effect.all([RateLimits, LoginLimits, Supervisor]))
    return { limits: parts[0], attempts: parts[1], buckets: () => parts[2].size("bucket") }
  }

  it(`makes ${addressBucketsMax} rate windows of addresses and ${overflowBuckets} shared ones, and no more`, async () => {
    const { limits, buckets } = await start()
    for (let nth = 0; nth < addressBucketsMax + more; nth++) limits.address(`a${nth}`)
    expect(buckets()).toBe(addressBucketsMax + overflowBuckets)
  })

  it(`makes ${attemptEntriesMax} windows of calls to the auth endpoints and ${overflowBuckets} shared ones, and no more`, async () => {
    const { attempts, buckets } = await start()
    for (let nth = 0; nth < attemptEntriesMax + more; nth++) attempts.call(`a${nth}`)
    expect(buckets()).toBe(attemptEntriesMax + overflowBuckets)
  })
})

it(`join keys admit ${joinsPerMinuteMax} machines a minute each`, async () => {
  const runtime = ManagedRuntime.make(layer)
  const { join } = await runtime.runPromise(RateLimits)
  const admitted = (key: string) => (join(key) as Decision).admitted
  for (let nth = 0; nth < joinsPerMinuteMax; nth++) expect(admitted("one")).toBe(true)
  expect([admitted("one"), admitted("other")]).toEqual([false, true])
  await runtime.dispose()
})

it(`the sessions of a person in an account have ${sessionRateTimes} times what an address has`, async () => {
  const runtime = ManagedRuntime.make(layer)
  const { session } = await runtime.runPromise(RateLimits)
  const admitted = (person: string) => (session(person) as Decision).admitted
  for (let nth = 0; nth < defaultSettings.rateIpPerMinute * sessionRateTimes; nth++) expect(admitted("a p")).toBe(true)
  expect([admitted("a p"), admitted("b p")]).toEqual([false, true])
  await runtime.dispose()
})

it(`windows over all nodes that are full are known of ${windowsFullMax}; beyond, the one unasked longest is asked again`, async () => {
  let asked = 0
  const call = (_: string, args: ReadonlyArray<string | number>) => {
    asked += Number(args[1])
    return Promise.resolve(Array.from({ length: Number(args[1]) }, () => [0, 3, 500]).flat())
  }
  const windows = makeSharedWindows({ prefix: "p:", away: () => false, call }, 60_000)
  const ask = (name: string) => new Promise((resolve) => windows.ask(name, 3, true, 0, resolve))
  for (let at = 0; at < windowsFullMax; at += windowAsksWaitingMax)
    await Promise.all(Array.from({ length: windowAsksWaitingMax }, (_, nth) => ask(`n${at + nth}`)))
  expect(asked).toBe(windowsFullMax)
  await ask("n0")
  expect(asked).toBe(windowsFullMax)
  await ask("one more")
  await ask("n0")
  expect(asked).toBe(windowsFullMax + 1)
  await ask("n1")
  expect(asked).toBe(windowsFullMax + 2)
})
