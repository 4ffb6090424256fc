/** Bucket actors: how many there are, when they leave, what happens past the bound and after a crash. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { type Bounds, makePopulation, type Population } from "../../../actors/limits/bucket.ts"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { Timers } from "../../../src/runtime/timers.ts"

const runtime = ManagedRuntime.make(Layer.provide(Supervisor.layer, Timers.layer))
afterAll(() => runtime.dispose())
let populations = 0

const population = async (bounds: Partial<Bounds> = {}): Promise<Population> =>
  makePopulation(await runtime.runPromise(Supervisor), {
    name: `p${populations++}`,
    limit: 3,
    spanMillis: 60_000,
    bucketsMax: 1_000,
    overflow: 4,
    idleMillis: 120_000,
    crowd: 100_000,
    smallMax: 1,
    ...bounds
  })

const sweep = (buckets: Population, now: number, slice = 1_000): number => {
  const steps = buckets.sweep(now, slice)
  let count = 1
  while (steps.next().done !== true) count++
  return count
}

describe("bucket actors", () => {
  it("are looked through in slices", async () => {
    const buckets = await population()
    for (let name = 0; name < 1_000; name++) buckets.take(`n${name}`, 0)
    expect(sweep(buckets, 120_000, 100)).toBeGreaterThanOrEqual(10)
    expect(buckets.size()).toBe(0)
  })

  it("stay within their bound in a flood of addresses, which share overflow buckets that fill", async () => {
    const buckets = await population({ bucketsMax: 500 })
    let admitted = 0
    for (let address = 0; address < 100_000; address++) if (buckets.take(`f${address}`, 0).admitted) admitted++
    expect(buckets.size()).toBe(500 + 4)
    expect(admitted).toBe(500 + 4 * 3)
    // Whoever had a bucket before the flood keeps its own.
    expect(buckets.take("f0", 0).admitted).toBe(true)
    expect(buckets.look("someone else", 0).admitted).toBe(false)
  })

  it("that admitted little end at the next sweep where there are many, so that others have one of their own again", async () => {
    const buckets = await population({ bucketsMax: 500, crowd: 100 })
    for (let call = 0; call < 3; call++) buckets.take("busy", 0)
    for (let address = 0; address < 10_000; address++) buckets.take(`f${address}`, 0)
    expect(buckets.look("someone else", 0).admitted).toBe(false)
    sweep(buckets, 0)
    expect(buckets.look("busy", 0).admitted).toBe(false)
    expect(buckets.nameOf("someone else")).toBe("someone else")
    // those that are shared are full, as is who asked much
    expect(buckets.size()).toBe(1 + 4)
    for (let address = 0; address < 98; address++) buckets.take(`g${address}`, 0)
    sweep(buckets, 0)
    expect(buckets.size()).toBe(99 + 4)
  })

  it("come back empty after a crash, and refuse meanwhile", async () => {
    const supervisor = await runtime.runPromise(Supervisor)
    const before = supervisor.crashes("bucket")
    let crash = false
    const buckets = makePopulation(supervisor, {
      name: `p${populations++}`,
      limit: 3,
      spanMillis: 60_000,
      bucketsMax: 10,
      overflow: 1,
      crowd: 10,
      smallMax: 0,
      get idleMillis(): number {
        if (crash) throw new Error("a bug")
        return 120_000
      }
    })
    buckets.take("a", 0)
    crash = true
    sweep(buckets, 1)
    expect(supervisor.crashes("bucket") - before).toBe(1)
    expect(buckets.take("a", 2).admitted).toBe(false)
    crash = false
    await runtime.runPromise(
      Effect.gen(function* () {
        while (!buckets.take("a", 3).admitted) yield* Effect.yieldNow
      })
    )
    expect(buckets.look("a", 3).count).toBeLessThanOrEqual(3)
  })
})
